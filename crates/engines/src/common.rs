//! What engines share: finding a failure in a region.

use crate::task::{Choice, Failure, Invariant, Load, Task, Verdict};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::value::{self, Value};
use cwolf_cwi::{Type, TypeId, Types};
use cwolf_encode::{Asked, Encoder, Region, Site};
use cwolf_logic::{Answer, BitBlaster, Lit, Model, Solver, Term, Terms};

/// The answer that no run fails, as far as the checks go.
pub fn safe(task: &Task<'_>, invariants: Vec<Invariant>) -> Verdict {
    match task.checks.uninitialised {
        true => Verdict::unknown("reads of memory that was never written are not checked"),
        false => Verdict::Safe { invariants },
    }
}

/// The obligations of a region that starts at the program's entry.
pub(crate) struct Failures<'a, 'p> {
    encoder: &'a mut Encoder<'p>,
    solver: &'a mut BitBlaster,
    region: &'a Region,
}

impl<'a, 'p> Failures<'a, 'p> {
    pub(crate) fn new(
        encoder: &'a mut Encoder<'p>,
        solver: &'a mut BitBlaster,
        region: &'a Region,
    ) -> Failures<'a, 'p> {
        Failures {
            encoder,
            solver,
            region,
        }
    }

    /// The obligation that a run fails, and that run, if there is one.
    pub(crate) fn find(&mut self, budget: &Budget) -> Result<Option<(usize, Model)>, Exhausted> {
        let obligations = &self.region.obligations;
        if obligations.is_empty() {
            return Ok(None);
        }
        // One question for all: is there a run on which one of them fails?
        let any = self.solver.fresh();
        let mut clause = vec![!any];
        for obligation in obligations {
            clause.push(self.solver.literal(&self.encoder.terms, obligation.fails));
        }
        self.solver.clause(&clause);
        if self.solver.check(&self.encoder.terms, &[any], budget)? != Answer::Sat {
            self.solver.clause(&[!any]);
            return Ok(None);
        }
        let mut model = self.solver.model(&self.encoder.terms);
        if let Some(likely) = self.likely_model(any, budget)? {
            model = likely;
        }
        let (terms, obligations) = (&self.encoder.terms, &self.region.obligations);
        let fails: Vec<_> = obligations.iter().map(|o| o.fails).collect();
        let values = model.all(terms, &fails);
        let first = values
            .iter()
            .position(|v| *v == 1)
            .expect("one of them fails");
        Ok(Some((first, model)))
    }

    /// A run in which pointers from outside are null or lead to places of their own, as far as that
    /// is possible. What lies outside is not followed, so that the encoding does not see what becomes
    /// of it when two such places are one, or when a pointer is a number that leads nowhere; other
    /// runs are seldom real.
    fn likely_model(&mut self, any: Lit, budget: &Budget) -> Result<Option<Model>, Exhausted> {
        const POINTERS: usize = 256;
        const TRIES: usize = 8;
        let types = &self.encoder.program().types;
        let pointers = self.region.asked.iter();
        // Those that may be any address are numbers.
        let word = types.target().pointer_bits();
        let terms = &self.encoder.terms;
        let pointers = pointers
            .filter(|a| matches!(types[a.ty], Type::Pointer(_)) && terms.width(a.term) > word);
        let pointers: Vec<Term> = pointers.take(POINTERS).map(|a| a.term).collect();
        let mut wanted = vec![any];
        for (n, pointer) in pointers.into_iter().enumerate() {
            let place = self.encoder.leads_outside_to(pointer, n as u64);
            wanted.push(self.solver.literal(&self.encoder.terms, place));
        }
        for _ in 0..TRIES {
            if wanted.len() == 1 {
                break;
            }
            match self.solver.check(&self.encoder.terms, &wanted, budget)? {
                Answer::Sat => return Ok(Some(self.solver.model(&self.encoder.terms))),
                Answer::Unsat => {
                    let core = self.solver.core(&wanted);
                    wanted.retain(|l| *l == any || !core.contains(l));
                }
                Answer::Unknown => break,
            }
        }
        Ok(None)
    }
}

/// The failing run that a model describes.
pub(crate) fn failure(encoder: &Encoder<'_>, region: &Region, n: usize, model: &Model) -> Failure {
    let obligation = &region.obligations[n];
    let terms = &encoder.terms;
    let types = &encoder.program().types;
    let asked = &region.asked[..obligation.choices];
    let site = |object| encoder.site(object);
    let mut outside = Outside {
        places: Vec::new(),
        site: &site,
    };
    let addresses = Addresses::new(encoder, model);
    let word = types.target().pointer_size();
    let choices = values(terms, types, asked, model, &mut outside).into_iter();
    let choices = choices.map(|(ty, load)| {
        let nothing = Value::Int(0);
        let (value, into) = match load {
            Load::Value(value @ Value::Int(n)) if types.size_of(ty) == word => {
                (value, addresses.find(n))
            }
            Load::Value(value) => (value, None),
            Load::Into(site, offset) => (nothing, Some((site, offset))),
            Load::Elsewhere => (nothing, None),
        };
        Choice { ty, value, into }
    });
    let choices = choices.collect();
    let loads = &region.loads[..obligation.loads];
    let loads = values(terms, types, loads, model, &mut outside).into_iter();
    let loads = loads.map(|(_, load)| load).collect();
    let steps = &region.steps[..obligation.steps];
    let guards: Vec<_> = steps.iter().map(|s| s.0).collect();
    let taken = model.all(terms, &guards);
    let mut path: Vec<_> = steps
        .iter()
        .zip(taken)
        .filter(|(_, v)| *v == 1)
        .map(|(s, _)| s.1)
        .collect();
    path.push(obligation.loc);
    Failure {
        kind: obligation.kind,
        loc: obligation.loc,
        check: obligation.check,
        function: obligation.function,
        choices,
        loads,
        path,
    }
}

/// How many elements of an array that holds anything are told of a run. The interpreter has no room for more.
const MOST_ELEMENTS: u64 = 1 << 22;

/// The values that a run is given or reads, in order, with their types.
fn values(
    terms: &Terms,
    types: &Types,
    asked: &[Asked],
    model: &Model,
    outside: &mut Outside<'_>,
) -> Vec<(TypeId, Load)> {
    let roots: Vec<_> = asked.iter().flat_map(|a| [a.guard, a.term]).collect();
    let values = model.all(terms, &roots);
    let mut found = Vec::new();
    for (n, a) in asked.iter().enumerate() {
        if values[2 * n] == 0 {
            continue;
        }
        let mut push = |bits: u128| {
            let load = match types[a.ty] {
                Type::Float(_) => Load::Value(Value::Float(bits)),
                Type::Pointer(_) => outside.pointer(bits),
                _ => {
                    let int = value::int_type(types, a.ty).expect("a scalar type");
                    Load::Value(Value::Int(value::wrap(int, bits as i128)))
                }
            };
            found.push((a.ty, load));
        };
        match a.elements {
            None => push(values[2 * n + 1]),
            Some(count) => {
                let count = count.min(MOST_ELEMENTS);
                (0..count).for_each(|i| push(model.element(a.term, i.into())));
            }
        }
    }
    found
}

/// Places outside the program that a run knows, and what is inside.
struct Outside<'e> {
    places: Vec<u64>,
    /// What an object is.
    site: &'e dyn Fn(u64) -> Option<Site>,
}

/// Where objects lie in a model.
struct Addresses {
    /// The number of an object, its address and its size.
    known: Vec<(u64, u64, Option<u64>)>,
    sites: Vec<Option<Site>>,
}

impl Addresses {
    fn new(encoder: &Encoder<'_>, model: &Model) -> Addresses {
        let all = encoder.addresses_of_objects();
        let bases: Vec<_> = all.iter().map(|(base, ..)| *base).collect();
        let values = model.all(&encoder.terms, &bases);
        let mut known: Vec<_> = all
            .into_iter()
            .zip(values)
            .map(|((_, object, size), at)| (object, at as u64, size))
            .collect();
        // Where two overlap, the encoder takes the last one.
        known.sort_unstable_by(|a, b| b.cmp(a));
        let sites = known.iter().map(|k| encoder.site(k.0)).collect();
        Addresses { known, sites }
    }

    /// The object that lies at an address.
    fn find(&self, address: i128) -> Option<(Site, i64)> {
        let address = address as u64;
        let found = self
            .known
            .iter()
            .zip(&self.sites)
            .find(|((_, at, size), site)| {
                let way = address.wrapping_sub(*at);
                site.is_some() && address != 0 && way <= size.unwrap_or(1 << 32)
            });
        let ((_, at, _), site) = found?;
        Some(((*site)?, address.wrapping_sub(*at) as i64))
    }
}

impl Outside<'_> {
    /// A pointer that the interpreter is given: a number, or a place outside the program; equal
    /// pointers stay equal.
    fn pointer(&mut self, bits: u128) -> Load {
        let offset = bits as u64;
        match (bits >> 64) as u64 {
            0 => return Load::Value(Value::Int(offset.into())),
            1 => {}
            object => {
                let site = (self.site)(object);
                return site.map_or(Load::Elsewhere, |site| Load::Into(site, offset as i64));
            }
        }
        let known = self.places.iter().position(|o| *o == offset);
        let n = known.unwrap_or_else(|| {
            self.places.push(offset);
            self.places.len() - 1
        }) as u64;
        let places = cwolf_interp::OUTSIDE_SIZE / cwolf_interp::OUTSIDE_STEP;
        let place = cwolf_interp::OUTSIDE + n % places * cwolf_interp::OUTSIDE_STEP;
        Load::Value(Value::Int(place.into()))
    }
}
