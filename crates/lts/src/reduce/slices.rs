//! Groups of transitions that can only be divided: each group, a *slice*, is a stretch of one
//! array, and belongs to an owner that can list its slices.

const NONE: u32 = u32::MAX;

/// Transitions in slices. A transition that was never pushed is in none.
pub(crate) struct Slices {
    order: Vec<u32>,
    /// Where in `order` a transition is.
    place: Vec<u32>,
    of: Vec<u32>,
    list: Vec<Slice>,
    free: Vec<u32>,
    /// The first slice of each owner.
    heads: Vec<u32>,
    /// Slices that are being divided.
    divided: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Slice {
    start: u32,
    end: u32,
    /// While the slice is being divided: the slice of those that leave.
    twin: u32,
    owner: u32,
    tag: u32,
    next: u32,
    before: u32,
}

impl Slices {
    pub(crate) fn new(transitions: usize) -> Slices {
        Slices {
            order: Vec::with_capacity(transitions),
            place: vec![0; transitions],
            of: vec![NONE; transitions],
            list: Vec::new(),
            free: Vec::new(),
            heads: Vec::new(),
            divided: Vec::new(),
        }
    }
    /// The slice of a transition that is in one.
    pub(crate) fn of(&self, transition: u32) -> u32 {
        self.of[transition as usize]
    }
    pub(crate) fn contains(&self, transition: u32) -> bool {
        self.of[transition as usize] != NONE
    }
    pub(crate) fn transitions(&self, slice: u32) -> &[u32] {
        let slice = &self.list[slice as usize];
        &self.order[slice.start as usize..slice.end as usize]
    }
    /// One transition of a slice, by its place.
    pub(crate) fn transition(&self, slice: u32, n: u32) -> Option<u32> {
        let Slice { start, end, .. } = self.list[slice as usize];
        (start + n < end).then(|| self.order[(start + n) as usize])
    }
    pub(crate) fn len(&self, slice: u32) -> u32 {
        let slice = &self.list[slice as usize];
        slice.end - slice.start
    }
    pub(crate) fn owner(&self, slice: u32) -> u32 {
        self.list[slice as usize].owner
    }
    /// What the slice was tagged with when it was made.
    pub(crate) fn tag(&self, slice: u32) -> u32 {
        self.list[slice as usize].tag
    }
    pub(crate) fn first(&self, owner: u32) -> Option<u32> {
        let head = self.heads.get(owner as usize);
        head.copied().filter(|&slice| slice != NONE)
    }
    pub(crate) fn next(&self, slice: u32) -> Option<u32> {
        Some(self.list[slice as usize].next).filter(|&next| next != NONE)
    }
    /// A new slice without transitions, after all others.
    pub(crate) fn open(&mut self, owner: u32, tag: u32) -> u32 {
        let end = self.order.len() as u32;
        self.make(end, end, owner, tag)
    }
    /// Adds a transition to a slice that ends where all others end.
    pub(crate) fn push(&mut self, slice: u32, transition: u32) {
        debug_assert_eq!(self.list[slice as usize].end as usize, self.order.len());
        self.place[transition as usize] = self.order.len() as u32;
        self.of[transition as usize] = slice;
        self.order.push(transition);
        self.list[slice as usize].end += 1;
    }
    fn make(&mut self, start: u32, end: u32, owner: u32, tag: u32) -> u32 {
        let slice = Slice {
            start,
            end,
            twin: NONE,
            owner,
            tag,
            next: NONE,
            before: NONE,
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.list[id as usize] = slice;
                id
            }
            None => {
                self.list.push(slice);
                self.list.len() as u32 - 1
            }
        };
        self.link(id, owner);
        id
    }
    fn link(&mut self, id: u32, owner: u32) {
        if self.heads.len() <= owner as usize {
            self.heads.resize(owner as usize + 1, NONE);
        }
        let next = std::mem::replace(&mut self.heads[owner as usize], id);
        if next != NONE {
            self.list[next as usize].before = id;
        }
        let slice = &mut self.list[id as usize];
        (slice.owner, slice.next, slice.before) = (owner, next, NONE);
    }
    fn unlink(&mut self, id: u32) {
        let Slice {
            owner,
            next,
            before,
            ..
        } = self.list[id as usize];
        match before {
            NONE => self.heads[owner as usize] = next,
            _ => self.list[before as usize].next = next,
        }
        if next != NONE {
            self.list[next as usize].before = before;
        }
    }
    /// Gives a whole slice to another owner.
    pub(crate) fn give(&mut self, slice: u32, owner: u32) {
        self.unlink(slice);
        self.link(slice, owner);
    }
    /// Moves a transition out of its slice, to a new one with this owner and tag that takes all
    /// transitions moved out of the same slice until [`Slices::settle`]. Returns both slices.
    pub(crate) fn move_out(&mut self, transition: u32, owner: u32, tag: u32) -> (u32, u32) {
        let from = self.of[transition as usize];
        let mut twin = self.list[from as usize].twin;
        if twin == NONE {
            let end = self.list[from as usize].end;
            twin = self.make(end, end, owner, tag);
            self.list[from as usize].twin = twin;
            self.divided.push(from);
        }
        let last = self.list[from as usize].end - 1;
        let at = self.place[transition as usize];
        let other = self.order[last as usize];
        self.order.swap(at as usize, last as usize);
        self.place[other as usize] = at;
        self.place[transition as usize] = last;
        self.of[transition as usize] = twin;
        self.list[from as usize].end = last;
        self.list[twin as usize].start = last;
        (from, twin)
    }
    /// Ends a round of moving: the slices that were divided, each with its new one. Slices with
    /// nothing left are given up; they have length 0 until another slice is made.
    pub(crate) fn settle(&mut self) -> Vec<(u32, u32)> {
        let divided = std::mem::take(&mut self.divided);
        let pair = |from: u32| {
            let twin = std::mem::replace(&mut self.list[from as usize].twin, NONE);
            if self.len(from) == 0 {
                self.unlink(from);
                self.free.push(from);
            }
            (from, twin)
        };
        divided.into_iter().map(pair).collect()
    }
}
