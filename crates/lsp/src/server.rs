//! The server: reads messages, lets files be scanned beside, and answers from the last result.

use crate::frame::{read_message, write_message};
use crate::show::{actions, diagnostics, hover, lenses, path_of};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::{Arc, mpsc};

/// Whoever scans a file, or one function of it: the result of `cwolf scan --json`, or why there is none.
pub type Scan = dyn Fn(&str, Option<&str>) -> Result<Value, String> + Send + Sync;

enum Event {
    Message(Value),
    Scanned(String, u64, Result<Value, String>),
    End,
}

/// What the server knows.
struct State {
    scan: Arc<Scan>,
    events: mpsc::Sender<Event>,
    /// By address: the last result, and the number of the last question.
    results: HashMap<String, Value>,
    asked: HashMap<String, u64>,
    shut_down: bool,
}

/// Serves until the client says `exit` or goes away; true if it said goodbye properly.
pub fn serve(
    input: impl BufRead + Send + 'static,
    mut output: impl Write,
    scan: Arc<Scan>,
) -> io::Result<bool> {
    let (events, inbox) = mpsc::channel();
    let reader = events.clone();
    let mut input = input;
    std::thread::spawn(move || {
        while let Ok(Some(message)) = read_message(&mut input) {
            if reader.send(Event::Message(message)).is_err() {
                return;
            }
        }
        let _ = reader.send(Event::End);
    });
    let mut state = State {
        scan,
        events,
        results: HashMap::new(),
        asked: HashMap::new(),
        shut_down: false,
    };
    for event in inbox {
        match event {
            Event::End => return Ok(state.shut_down),
            Event::Message(message) => {
                if message["method"] == "exit" {
                    return Ok(state.shut_down);
                }
                for answer in state.message(&message) {
                    write_message(&mut output, &answer)?;
                }
            }
            Event::Scanned(uri, number, result) => {
                for answer in state.scanned(&uri, number, result) {
                    write_message(&mut output, &answer)?;
                }
            }
        }
    }
    Ok(state.shut_down)
}

fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

impl State {
    fn message(&mut self, message: &Value) -> Vec<Value> {
        let params = &message["params"];
        let method = message["method"].as_str().unwrap_or_default();
        let uri = params["textDocument"]["uri"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let id = &message["id"];
        if id.is_null() {
            return match method {
                "textDocument/didOpen" | "textDocument/didSave" => {
                    self.ask(&uri, None);
                    Vec::new()
                }
                "textDocument/didClose" => {
                    self.results.remove(&uri);
                    let empty = json!({ "uri": uri, "diagnostics": [] });
                    vec![notification("textDocument/publishDiagnostics", empty)]
                }
                _ => Vec::new(),
            };
        }
        // An answer to a question of ours.
        if method.is_empty() {
            return Vec::new();
        }
        let answer = |result: Value| vec![json!({ "jsonrpc": "2.0", "id": id, "result": result })];
        let path = path_of(&uri).unwrap_or_default();
        let known = self.results.get(&uri);
        match method {
            "initialize" => answer(json!({
                "capabilities": {
                    "textDocumentSync": { "openClose": true, "change": 0, "save": true },
                    "codeLensProvider": {},
                    "hoverProvider": true,
                    "codeActionProvider": { "codeActionKinds": ["quickfix"] },
                    "executeCommandProvider": { "commands": ["cwolf.verify"] },
                },
                "serverInfo": { "name": "cwolf", "version": env!("CARGO_PKG_VERSION") },
            })),
            "shutdown" => {
                self.shut_down = true;
                answer(Value::Null)
            }
            "textDocument/codeLens" => {
                answer(known.map_or(json!([]), |s| lenses(s, &path, &uri).into()))
            }
            "textDocument/hover" => {
                let line = params["position"]["line"].as_u64().unwrap_or(0);
                let text = known.and_then(|s| hover(s, &path, line));
                answer(text.map_or(
                    Value::Null,
                    |t| json!({ "contents": { "kind": "markdown", "value": t } }),
                ))
            }
            "textDocument/codeAction" => {
                let given = params["context"]["diagnostics"].as_array();
                let given = given.map_or(&[][..], Vec::as_slice);
                answer(known.map_or(json!([]), |s| actions(s, &path, &uri, given).into()))
            }
            "workspace/executeCommand" => {
                let uri = params["arguments"][0]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned();
                let function = params["arguments"][1].as_str().map(str::to_owned);
                self.ask(&uri, function);
                answer(Value::Null)
            }
            _ => vec![json!({
                "jsonrpc": "2.0",
                "id": id,
                "error": { "code": -32601, "message": format!("cwolf does not know {method}") },
            })],
        }
    }

    /// Scans a file beside.
    fn ask(&mut self, uri: &str, function: Option<String>) {
        let Some(path) = path_of(uri) else { return };
        let number = self.asked.entry(uri.to_owned()).or_default();
        *number += 1;
        let (number, uri) = (*number, uri.to_owned());
        let (scan, events) = (self.scan.clone(), self.events.clone());
        std::thread::spawn(move || {
            let result = scan(&path, function.as_deref());
            let _ = events.send(Event::Scanned(uri, number, result));
        });
    }

    /// Publishes a result, unless a later question is on its way.
    fn scanned(&mut self, uri: &str, number: u64, result: Result<Value, String>) -> Vec<Value> {
        if self.asked.get(uri) != Some(&number) {
            return Vec::new();
        }
        let path = path_of(uri).unwrap_or_default();
        let result = match result {
            Ok(result) => result,
            Err(why) => {
                let text = json!({ "type": 2, "message": format!("cwolf: {why}") });
                return vec![notification("window/showMessage", text)];
            }
        };
        let known = match self.results.remove(uri) {
            Some(mut known) => {
                merge(&mut known, &result);
                known
            }
            None => result,
        };
        let list = diagnostics(&known, &path);
        self.results.insert(uri.to_owned(), known);
        let published = json!({ "uri": uri, "diagnostics": list });
        vec![
            notification("textDocument/publishDiagnostics", published),
            json!({ "jsonrpc": "2.0", "id": format!("lens{number}"), "method": "workspace/codeLens/refresh" }),
        ]
    }
}

/// Replaces rows by new ones; a scan of the whole file replaces all.
fn merge(known: &mut Value, new: &Value) {
    let rows = new["functions"].as_array();
    let (Some(rows), Some(old)) = (rows, known["functions"].as_array_mut()) else {
        *known = new.clone();
        return;
    };
    if rows.len() != 1 {
        *known = new.clone();
        return;
    }
    for row in rows {
        match old.iter_mut().find(|o| o["function"] == row["function"]) {
            Some(place) => *place = row.clone(),
            None => old.push(row.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result() -> Value {
        json!({ "functions": [{
            "function": "first", "class": "conditional", "checks": 2, "proved": 1, "reason": null,
            "place": { "file": "/p/a.c", "line": 3, "column": 5 },
            "precondition": ["list != \\null"],
            "findings": [{
                "kind": "pointer", "message": "reading through a null pointer", "class": "conditional", "entry": "first",
                "place": { "file": "/p/a.c", "line": 5, "column": 12 },
                "precondition": ["list != \\null"], "suppressed": false, "known": false,
                "trace": { "steps": [{ "function": "first", "place": { "file": "/p/a.c", "line": 4, "column": 1 },
                    "changes": [{ "name": "list", "value": "0" }] }] },
            }],
        }] })
    }

    /// A client that says these messages; what it hears.
    fn session(messages: &[Value]) -> Vec<Value> {
        let mut bytes = Vec::new();
        for message in messages {
            write_message(&mut bytes, message).expect("written");
        }
        let (sender, receiver) = mpsc::channel::<Vec<u8>>();
        struct Out(mpsc::Sender<Vec<u8>>);
        impl Write for Out {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                let _ = self.0.send(bytes.to_vec());
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let input = io::BufReader::new(Slow(io::Cursor::new(bytes)));
        let scan: Arc<Scan> = Arc::new(|_, _| Ok(result()));
        let polite = serve(input, Out(sender), scan).expect("served");
        assert!(polite);
        let all: Vec<u8> = receiver.iter().flatten().collect();
        let mut input = all.as_slice();
        let mut heard = Vec::new();
        while let Some(message) = read_message(&mut input).expect("a message") {
            heard.push(message);
        }
        heard
    }

    /// Gives a scan time before the next message comes.
    struct Slow(io::Cursor<Vec<u8>>);

    impl io::Read for Slow {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            std::thread::sleep(std::time::Duration::from_millis(20));
            let most = to.len().min(200);
            self.0.read(&mut to[..most])
        }
    }

    #[test]
    fn a_client_gets_diagnostics_lenses_hovers_and_actions() {
        let doc = json!({ "uri": "file:///p/a.c" });
        let ask = |id: u32, method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let tell = |method: &str, params: Value| notification(method, params);
        let diagnostic = diagnostics(&result(), "/p/a.c");
        let heard = session(&[
            ask(1, "initialize", json!({})),
            tell("initialized", json!({})),
            tell("textDocument/didOpen", json!({ "textDocument": doc })),
            ask(2, "unknown/method", json!({})),
            ask(3, "textDocument/codeLens", json!({ "textDocument": doc })),
            ask(
                4,
                "textDocument/hover",
                json!({ "textDocument": doc, "position": { "line": 2, "character": 0 } }),
            ),
            ask(
                5,
                "textDocument/codeAction",
                json!({ "textDocument": doc, "context": { "diagnostics": diagnostic } }),
            ),
            ask(6, "shutdown", json!(null)),
            tell("exit", json!(null)),
        ]);
        let with = |id: u32| heard.iter().find(|m| m["id"] == id).expect("an answer");
        assert_eq!(with(1)["result"]["serverInfo"]["name"], "cwolf");
        assert_eq!(with(2)["error"]["code"], -32601);
        let published = heard
            .iter()
            .find(|m| m["method"] == "textDocument/publishDiagnostics");
        let list = &published.expect("diagnostics")["params"]["diagnostics"];
        assert_eq!(list[0]["range"]["start"]["line"], 4);
        assert_eq!(
            list[0]["relatedInformation"][0]["message"],
            "first: list = 0"
        );
        assert_eq!(with(3)["result"][0]["command"]["arguments"][1], "first");
        let hover = with(4)["result"]["contents"]["value"]
            .as_str()
            .expect("a text");
        assert!(hover.contains("requires list != \\null;"), "{hover}");
        let edit = &with(5)["result"][0]["edit"]["changes"]["file:///p/a.c"][0];
        assert_eq!(edit["newText"], "//@ requires list != \\null;\n");
        assert_eq!(edit["range"]["start"]["line"], 2);
    }
}
