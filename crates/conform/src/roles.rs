//! Which labels of a system are states, events and actions, and what they are called in a table.

/// What a label stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// From here on the machine is in this state.
    State(String),
    /// This event comes.
    Event(String),
    /// This action is done.
    Action(String),
    /// Nothing that the table speaks of.
    Ignored,
}

/// A pattern for labels with at most one `*` in it, and the name that it gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    before: String,
    /// What comes after the `*`; none if there is no `*`.
    after: Option<String>,
    name: String,
}

impl Pattern {
    fn parse(text: &str) -> Result<Pattern, String> {
        let (pattern, name) = match text.split_once("=>") {
            Some((pattern, name)) => (pattern.trim(), Some(name.trim())),
            None => (text.trim(), None),
        };
        if pattern.is_empty() || name == Some("") {
            return Err("a pattern or its name is empty".to_owned());
        }
        if pattern.matches('*').count() > 1 {
            return Err(format!("the pattern `{pattern}` has more than one `*`"));
        }
        let (before, after) = match pattern.split_once('*') {
            Some((before, after)) => (before, Some(after.to_owned())),
            None => (pattern, None),
        };
        let otherwise = if after.is_some() { "*" } else { pattern };
        if after.is_none() && name.is_some_and(|n| n.contains('*')) {
            return Err(format!(
                "the name has a `*`, but the pattern `{pattern}` has none"
            ));
        }
        Ok(Pattern {
            before: before.to_owned(),
            after,
            name: name.unwrap_or(otherwise).to_owned(),
        })
    }
    /// The name of a label, if the pattern is one for it.
    fn name(&self, label: &str) -> Option<String> {
        match &self.after {
            None => (label == self.before).then(|| self.name.clone()),
            Some(after) => {
                let inner = label.strip_prefix(self.before.as_str())?;
                let inner = inner.strip_suffix(after.as_str())?;
                Some(self.name.replace('*', inner.trim()))
            }
        }
    }
}

/// Patterns by role. A label is looked for among those to ignore, states, events and actions, in this
/// order. Without patterns for states they are `state=*`; for events, `event *`; and without
/// patterns for actions every other label is one, under its own name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roles {
    states: Vec<Pattern>,
    events: Vec<Pattern>,
    actions: Vec<Pattern>,
    ignored: Vec<Pattern>,
}

impl Roles {
    /// Adds a pattern `PATTERN` or `PATTERN => NAME` for a role: `state`, `event`, `action` or `ignore`.
    pub(crate) fn add(&mut self, role: &str, text: &str) -> Result<(), String> {
        let list = match role {
            "state" => &mut self.states,
            "event" => &mut self.events,
            "action" => &mut self.actions,
            _ => &mut self.ignored,
        };
        list.push(Pattern::parse(text)?);
        Ok(())
    }
    /// Puts the patterns of `other` in place of these, for the roles for which it has any.
    pub fn override_by(&mut self, other: Roles) {
        for (mine, theirs) in [
            (&mut self.states, other.states),
            (&mut self.events, other.events),
            (&mut self.actions, other.actions),
            (&mut self.ignored, other.ignored),
        ] {
            if !theirs.is_empty() {
                *mine = theirs;
            }
        }
    }
    /// What `label` stands for.
    pub fn role(&self, label: &str) -> Role {
        let find = |list: &[Pattern]| list.iter().find_map(|p| p.name(label));
        let default = |list: &[Pattern], prefix: &str| match list {
            [] => label.strip_prefix(prefix).map(|n| n.trim().to_owned()),
            list => find(list),
        };
        if find(&self.ignored).is_some() {
            Role::Ignored
        } else if let Some(name) = default(&self.states, "state=") {
            Role::State(name)
        } else if let Some(name) = default(&self.events, "event ") {
            Role::Event(name)
        } else if self.actions.is_empty() {
            Role::Action(label.to_owned())
        } else {
            find(&self.actions).map_or(Role::Ignored, Role::Action)
        }
    }
    /// The patterns for states or events, as they are written.
    pub fn patterns(&self, events: bool) -> String {
        let list = if events { &self.events } else { &self.states };
        if list.is_empty() {
            return if events { "`event *`" } else { "`state=*`" }.to_owned();
        }
        let show = |p: &Pattern| match &p.after {
            None => format!("`{}`", p.before),
            Some(after) => format!("`{}*{after}`", p.before),
        };
        list.iter().map(show).collect::<Vec<_>>().join(", ")
    }
}
