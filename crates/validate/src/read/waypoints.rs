//! Witnesses in YAML, versions 2.0 and 2.1.

use super::ReadError;
use super::yaml::{Node, parse};
use crate::witness::{At, Claim, Invariant, Metadata, Passing, Segment, Waypoint, Where, Witness};

/// Reads the one entry of a file that is a witness.
pub(super) fn read(text: &str) -> Result<Witness, ReadError> {
    let document = parse(text)?;
    let mut witness: Option<Witness> = None;
    let mut unread = Vec::new();
    for entry in document.list()? {
        let kind = entry.need("entry_type")?.text()?;
        let claim = match kind {
            "invariant_set" => {
                let content = entry.need("content")?.list()?;
                Claim::Correct(invariants(content, &mut unread)?)
            }
            "violation_sequence" => Claim::Violation(segments(entry.need("content")?)?),
            // The first format of invariants alone, one an entry.
            "loop_invariant" => {
                let at = at(entry.need("location")?)?;
                let condition = entry.need("loop_invariant")?.need("string")?;
                Claim::Correct(vec![Invariant {
                    at,
                    place: Where::LoopHead,
                    condition: condition.text()?.to_owned(),
                    line: condition.line,
                }])
            }
            other => {
                unread.push(format!("entries of type `{other}`"));
                continue;
            }
        };
        let metadata = metadata(entry.need("metadata")?)?;
        match &mut witness {
            None => {
                witness = Some(Witness {
                    metadata,
                    claim,
                    unread: Vec::new(),
                });
            }
            Some(known) => match (&mut known.claim, claim) {
                (Claim::Correct(all), Claim::Correct(more)) => all.extend(more),
                _ => {
                    let what = "the file has two witnesses; give them one by one";
                    return Err(ReadError::new(entry.line, what));
                }
            },
        }
    }
    match witness {
        Some(witness) => Ok(Witness { unread, ..witness }),
        None => Err(ReadError::new(
            1,
            "there is no witness: no entry is an `invariant_set` or a `violation_sequence`",
        )),
    }
}

fn metadata(node: &Node) -> Result<Metadata, ReadError> {
    let optional = |node: Option<&Node>| node.map(|n| n.text().map(str::to_owned)).transpose();
    let format = node.need("format_version")?.text()?.to_owned();
    if !["0.1", "2.0", "2.1"].contains(&&*format) {
        let what = format!("the version {format} is not read; versions 2.0 and 2.1 are");
        return Err(ReadError::new(node.need("format_version")?.line, what));
    }
    let producer = node.get("producer").and_then(|p| p.get("name"));
    let mut found = Metadata {
        format,
        producer: optional(producer)?.unwrap_or_default(),
        ..Metadata::default()
    };
    let Some(task) = node.get("task") else {
        return Ok(found);
    };
    let hashes = task.get("input_file_hashes");
    if let Some(files) = task.get("input_files") {
        for file in files.list()? {
            let name = file.text()?;
            let hash = optional(hashes.and_then(|h| h.get(name)))?;
            found.inputs.push((name.to_owned(), hash));
        }
    }
    found.specification = optional(task.get("specification"))?;
    found.data_model = optional(task.get("data_model"))?;
    Ok(found)
}

fn at(node: &Node) -> Result<At, ReadError> {
    let column = node.get("column").map(Node::number).transpose()?;
    let function = node.get("function").map(Node::text).transpose()?;
    Ok(At {
        file: node.need("file_name")?.text()?.to_owned(),
        line: node.need("line")?.number()?,
        column: column.filter(|c| *c > 0),
        function: function.filter(|f| !f.is_empty()).map(str::to_owned),
    })
}

fn invariants(list: &[Node], unread: &mut Vec<String>) -> Result<Vec<Invariant>, ReadError> {
    let mut found = Vec::new();
    for item in list {
        let Some(invariant) = item.get("invariant") else {
            unread.push(match item.get("function_contract") {
                Some(_) => "contracts of functions".to_owned(),
                None => "parts of the set that are no invariants".to_owned(),
            });
            continue;
        };
        let kind = invariant.need("type")?;
        let place = match kind.text()? {
            "loop_invariant" => Where::LoopHead,
            "location_invariant" => Where::Statement,
            other => {
                unread.push(format!("invariants of type `{other}`"));
                continue;
            }
        };
        let format = invariant.get("format").map(Node::text).transpose()?;
        if let Some(format) = format.filter(|f| !EXPRESSIONS.contains(f)) {
            unread.push(format!("invariants in the format `{format}`"));
            continue;
        }
        let value = invariant.need("value")?;
        found.push(Invariant {
            at: at(invariant.need("location")?)?,
            place,
            condition: value.text()?.to_owned(),
            line: value.line,
        });
    }
    unread.sort();
    unread.dedup();
    Ok(found)
}

/// Formats of expressions: C, and C with a few words more.
const EXPRESSIONS: [&str; 3] = ["c_expression", "C", "ext_c_expression"];

fn segments(content: &Node) -> Result<Vec<Segment>, ReadError> {
    let mut found = Vec::new();
    for item in content.list()? {
        let segment = item.need("segment")?;
        let mut avoid = Vec::new();
        let mut follow = None;
        for item in segment.list()? {
            let waypoint = item.need("waypoint")?;
            let action = waypoint.need("action")?;
            let point = self::waypoint(waypoint)?;
            if follow.is_some() {
                let what = "a segment ends with its one waypoint to follow";
                return Err(ReadError::new(waypoint.line, what));
            }
            match action.text()? {
                "follow" => follow = Some(point),
                "avoid" => avoid.push(point),
                other => {
                    let what = format!("the action `{other}` is not read; follow and avoid are");
                    return Err(ReadError::new(action.line, what));
                }
            }
        }
        let Some(follow) = follow else {
            let what = "a segment has no waypoint to follow";
            return Err(ReadError::new(segment.line, what));
        };
        found.push(Segment { avoid, follow });
    }
    match found.last() {
        None => Err(ReadError::new(content.line, "there are no segments")),
        Some(last) if last.follow.passing != Passing::Target => {
            let what = "the last waypoint is not a target";
            Err(ReadError::new(last.follow.line, what))
        }
        Some(_) => {
            let inner = &found[..found.len() - 1];
            let early = inner.iter().find(|s| s.follow.passing == Passing::Target);
            match early {
                Some(early) => {
                    let what = "a target is followed by more segments";
                    Err(ReadError::new(early.follow.line, what))
                }
                None => Ok(found),
            }
        }
    }
}

fn waypoint(node: &Node) -> Result<Waypoint, ReadError> {
    let kind = node.need("type")?;
    let constraint = node.get("constraint");
    let value = constraint.map(|c| c.need("value")).transpose()?;
    if let Some(format) = constraint.and_then(|c| c.get("format"))
        && !EXPRESSIONS.contains(&format.text()?)
    {
        let what = format!("the format `{}` is not read", format.text()?);
        return Err(ReadError::new(format.line, what));
    }
    let need = || value.ok_or_else(|| ReadError::new(node.line, "`constraint` is missing here"));
    let passing = match kind.text()? {
        "assumption" => Passing::Assumption(need()?.text()?.to_owned()),
        "target" => Passing::Target,
        "function_enter" => Passing::Enter,
        "function_return" => {
            let value = value.map(Node::text).transpose()?;
            Passing::Return(value.map(str::to_owned))
        }
        "branching" => {
            let value = need()?;
            match value.text()? {
                "true" => Passing::Branch(true),
                "false" => Passing::Branch(false),
                "default" => Passing::Case(None),
                number => match number.parse() {
                    Ok(number) => Passing::Case(Some(number)),
                    Err(_) => {
                        let what = "expected true, false, default or a number here";
                        return Err(ReadError::new(value.line, what));
                    }
                },
            }
        }
        other => {
            let what = format!("there is no waypoint of type `{other}`");
            return Err(ReadError::new(kind.line, what));
        }
    };
    Ok(Waypoint {
        at: at(node.need("location")?)?,
        passing,
        line: node.line,
    })
}
