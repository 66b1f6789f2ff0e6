//! What stands in a cell: what a table allows there, and what a system was seen to do.

/// Where an alternative of a table leads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Next {
    /// To the state of this name.
    State(String),
    /// Nowhere else: the state stays what it was.
    Same,
    /// Anywhere; the table does not say.
    Any,
}

/// One way to treat an event that a table allows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Alternative {
    /// The actions in their order; none if any will do.
    pub actions: Option<Vec<String>>,
    /// The state after them.
    pub next: Next,
}

impl Alternative {
    /// The name of the next state for an event that comes in `state`, unless any will do.
    pub fn next_from<'a>(&'a self, state: &'a str) -> Option<&'a str> {
        match &self.next {
            Next::State(name) => Some(name),
            Next::Same => Some(state),
            Next::Any => None,
        }
    }
    /// How it is shown for an event that comes in `state`: `sta -> Stopped`.
    pub fn show(&self, state: &str) -> String {
        let actions = self.actions.as_ref();
        let actions = actions.map_or("*".to_owned(), |a| a.join(" "));
        outcome(&actions, self.next_from(state).unwrap_or("*"))
    }
}

/// One step of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The file and the line of the state that it leaves, if they are known.
    pub place: Option<(String, u32)>,
    /// The label, unless the step is silent.
    pub label: Option<String>,
    /// The text of the line, if somebody looked it up.
    pub code: Option<String>,
}

/// One way in which a system was seen to treat an event in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The actions in their order; the first of them if `cut`.
    pub actions: Vec<String>,
    /// The state after them.
    pub next: String,
    /// Whether it stands for all further ways to this state that no alternative of the cell begins like: there
    /// are too many to list. The actions are those of one of them.
    pub cut: bool,
    /// Whether the table allows it.
    pub allowed: bool,
    /// The events of a run that leads to the cell, from the start.
    pub before: Vec<String>,
    /// The steps from the event to the next state, the event's own first.
    pub steps: Vec<Step>,
}

impl Found {
    /// How it is shown: `sta -> Stopped`.
    pub fn show(&self) -> String {
        let mut actions = self.actions.join(" ");
        if self.cut {
            actions += " …";
        }
        outcome(actions.trim_start(), &self.next)
    }
}

fn outcome(actions: &str, next: &str) -> String {
    match actions {
        "" => format!("-> {next}"),
        actions => format!("{actions} -> {next}"),
    }
}
