//! What is known about one entry function: the report of `cwolf verify` as JSON, read back.

use cwolf_report::{Place, Status};
use serde_json::{Value, json};

/// A check and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// Its kind, as in the verdict.
    pub kind: String,
    /// Where.
    pub place: Place,
    /// The function that it is in.
    pub function: String,
    /// What must hold.
    pub text: String,
    /// What is known.
    pub status: Status,
    /// Why nothing is known.
    pub reason: Option<String>,
    /// The failing run, as in the report.
    pub trace: Option<Value>,
}

impl Checked {
    /// What tells it from other checks.
    pub fn key(&self) -> (&Place, &str, &str) {
        (&self.place, &self.kind, &self.text)
    }
    /// What goes wrong, if it fails.
    pub fn message(&self) -> String {
        let message = self.trace.as_ref().and_then(|t| t["message"].as_str());
        message.unwrap_or(&self.text).to_owned()
    }
}

/// What is known after asking about one function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// `true`, `false` or `unknown`.
    pub verdict: String,
    /// Why nothing is known.
    pub reason: Option<String>,
    /// Every check that the function reaches.
    pub checks: Vec<Checked>,
    /// What is taken for granted.
    pub assumptions: Vec<String>,
    /// How long it took to find out, in seconds.
    pub seconds: f64,
}

impl Answer {
    /// There is no answer.
    pub fn unknown(reason: impl Into<String>) -> Answer {
        Answer {
            verdict: "unknown".into(),
            reason: Some(reason.into()),
            ..Answer::default()
        }
    }
    /// Reads the `result` of `cwolf verify --json`.
    pub fn read(result: &Value) -> Option<Answer> {
        let text = |v: &Value| v.as_str().map(str::to_owned);
        let checks = result["properties"].as_array()?;
        let checks: Option<Vec<Checked>> = checks
            .iter()
            .map(|p| {
                Some(Checked {
                    kind: text(&p["kind"])?,
                    place: place(&p["place"])?,
                    function: text(&p["function"])?,
                    text: text(&p["text"])?,
                    status: status(p["status"].as_str()?)?,
                    reason: text(&p["reason"]),
                    trace: Some(p["trace"].clone()).filter(|t| !t.is_null()),
                })
            })
            .collect();
        let assumptions = result["assumptions"].as_array();
        let assumptions = assumptions.into_iter().flatten();
        Some(Answer {
            verdict: text(&result["verdict"])?,
            reason: text(&result["reason"]),
            checks: checks?,
            assumptions: assumptions.filter_map(|a| text(&a["text"])).collect(),
            seconds: result["seconds"].as_f64().unwrap_or_default(),
        })
    }
    /// The same again, as [`Answer::read`] takes it.
    pub fn json(&self) -> Value {
        let checks = self.checks.iter().map(|c| {
            json!({
                "kind": c.kind,
                "place": { "file": c.place.file, "line": c.place.line, "column": c.place.column },
                "function": c.function,
                "text": c.text,
                "status": c.status.name(),
                "reason": c.reason,
                "trace": c.trace,
            })
        });
        let assumptions = self.assumptions.iter().map(|text| json!({ "text": text }));
        json!({
            "verdict": self.verdict,
            "reason": self.reason,
            "properties": checks.collect::<Value>(),
            "assumptions": assumptions.collect::<Value>(),
            "seconds": self.seconds,
        })
    }
    /// Whether some check fails.
    pub fn fails(&self) -> bool {
        self.checks.iter().any(|c| c.status == Status::Fails)
    }
}

fn place(value: &Value) -> Option<Place> {
    Some(Place {
        file: value["file"].as_str()?.to_owned(),
        line: u32::try_from(value["line"].as_u64()?).ok()?,
        column: u32::try_from(value["column"].as_u64().unwrap_or(0)).ok()?,
    })
}

fn status(name: &str) -> Option<Status> {
    let all = [
        Status::Holds,
        Status::Fails,
        Status::Unreachable,
        Status::AfterFailure,
        Status::Undecided,
    ];
    all.into_iter().find(|s| s.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_read_back() {
        let answer = Answer {
            verdict: "false".into(),
            reason: None,
            checks: vec![Checked {
                kind: "bounds".into(),
                place: Place {
                    file: "a.c".into(),
                    line: 3,
                    column: 5,
                },
                function: "f".into(),
                text: "the index is inside".into(),
                status: Status::Fails,
                reason: None,
                trace: Some(json!({ "message": "reading past the end" })),
            }],
            assumptions: vec!["something".into()],
            seconds: 1.5,
        };
        assert_eq!(Answer::read(&answer.json()), Some(answer.clone()));
        assert_eq!(answer.checks[0].message(), "reading past the end");
        assert_eq!(Answer::read(&json!({ "verdict": "true" })), None);
    }
}
