//! The viewer in a real browser, with real clicks. Needs `chromedriver` and Chromium (Debian
//! package `chromium-driver`); says so and does nothing where they are missing.

use crate::CWOLF;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A browser, driven by the W3C's WebDriver protocol.
struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// Kept open, since the driver writes to it.
    out: BufReader<std::process::ChildStdout>,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.send("DELETE", "", &Value::Null);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

impl Browser {
    fn start() -> Option<Browser> {
        let driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut driver = driver.ok()?;
        let mut browser = Browser {
            out: BufReader::new(driver.stdout.take()?),
            driver,
            port: 0,
            session: String::new(),
        };
        let lines = browser.out.by_ref().lines().map_while(Result::ok);
        browser.port = lines
            .filter_map(|l| {
                l.split("started successfully on port ")
                    .nth(1)
                    .map(str::to_owned)
            })
            .find_map(|p| p.trim_end_matches('.').parse().ok())?;
        let flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1300,800",
        ];
        let options = json!({ "args": flags });
        let wanted =
            json!({ "capabilities": { "alwaysMatch": { "goog:chromeOptions": options } } });
        let made = browser.send("POST", "", &wanted)?;
        browser.session = format!("/{}", made["sessionId"].as_str()?);
        Some(browser)
    }
    fn send(&self, method: &str, path: &str, body: &Value) -> Option<Value> {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let limit = Some(Duration::from_secs(60));
        stream.set_read_timeout(limit).ok()?;
        let head = format!(
            "{method} /session{}{path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.session,
            self.port,
            body.len()
        );
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(body.as_bytes()).ok()?;
        // The driver keeps the connection open: the answer is as long as it says.
        let mut answer = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            answer.read_line(&mut line).ok()?;
            let line = line.trim().to_ascii_lowercase();
            if let Some(number) = line.strip_prefix("content-length:") {
                length = number.trim().parse().ok()?;
            }
            if line.is_empty() {
                break;
            }
        }
        let mut content = vec![0; length];
        answer.read_exact(&mut content).ok()?;
        let value: Value = serde_json::from_slice(&content).ok()?;
        Some(value["value"].clone())
    }
    fn open(&self, url: &str) {
        self.send("POST", "/url", &json!({ "url": url }))
            .expect("the page opens");
    }
    /// Runs a script in the page.
    fn script(&self, script: &str) -> Value {
        let body = json!({ "script": script, "args": [] });
        self.send("POST", "/execute/sync", &body).expect("it runs")
    }
    fn element(&self, css: &str) -> String {
        let by = json!({ "using": "css selector", "value": css });
        let found = self.send("POST", "/element", &by).expect("an answer");
        let id = found.as_object().and_then(|o| o.values().next()?.as_str());
        id.unwrap_or_else(|| panic!("no {css}: {found}")).to_owned()
    }
    fn click(&self, css: &str) {
        let path = format!("/element/{}/click", self.element(css));
        let done = self.send("POST", &path, &json!({})).expect("an answer");
        assert!(done.is_null(), "click {css}: {done}");
    }
    fn write(&self, css: &str, text: &str) {
        let path = format!("/element/{}/value", self.element(css));
        self.send("POST", &path, &json!({ "text": text }))
            .expect("written");
    }
    /// Waits until an expression is true in the page.
    fn wait(&self, expression: &str) {
        let start = Instant::now();
        while self.script(&format!("return Boolean({expression})")) != true {
            let waited = start.elapsed() < Duration::from_secs(30);
            assert!(waited, "never: {expression}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn view(model: &Path) -> (Child, String) {
    let mut cwolf = Command::new(CWOLF)
        .args(["-q", "view", "--timeout", "120s"])
        .arg(model)
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut url = String::new();
    let out = cwolf.stdout.take().expect("piped");
    BufReader::new(out)
        .read_line(&mut url)
        .expect("its address");
    (cwolf, url.trim().to_owned())
}

#[test]
#[allow(clippy::print_stderr)]
fn a_model_is_walked_in() {
    let Some(browser) = Browser::start() else {
        eprintln!("skipped: chromedriver or Chromium is missing (Debian package chromium-driver)");
        return;
    };
    let model = Path::new(env!("CARGO_TARGET_TMPDIR")).join("viewed.json");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/fsm");
    let made = Command::new(CWOLF)
        .args(["-q", "model", "-a"])
        .arg(examples.join("fsm.am"))
        .arg("-l")
        .arg(examples.join("fsm.lm"))
        .arg(examples.join("fsm.c"))
        .arg("-o")
        .arg(&model)
        .status();
    assert!(made.expect("it starts").success());
    let (mut cwolf, url) = view(&model);

    browser.open(&url);
    let shown = "document.querySelectorAll('g[data-node]').length";
    browser.wait(&format!("{shown} >= 2"));
    // A click on a state goes there, unfolding shows its successors.
    browser.click("g[data-node='1']");
    browser.wait("document.getElementById('state').textContent === 'State 1'");
    browser.click("#unfold");
    browser.wait(&format!("{shown} >= 3"));
    // A search finds a label; the way to it can be played.
    browser.write("#text", "accept");
    browser.click("#search button");
    browser.wait("document.querySelectorAll('#found li').length === 1");
    browser.click("#found li button");
    browser.wait("!document.getElementById('player').hidden");
    browser.click("#last");
    let end = "document.querySelector('#steps li:last-child').classList.contains('now')";
    browser.wait(end);
    browser.wait("document.querySelectorAll('#out li').length === 0");
    // The reduced system is another system.
    browser.script("const s = document.getElementById('system'); s.value = 'weak'; s.onchange();");
    browser.wait("document.getElementById('size').textContent.startsWith('4 states')");
    let message = browser.script("return document.getElementById('message').textContent");
    assert_eq!(message, "");
    // Without the token there is nothing.
    browser.open(&url[..url.trim_end_matches('/').rfind('/').expect("a path") + 1]);
    browser.wait("document.body.textContent.includes('nothing here')");
    cwolf.kill().expect("it ends");
    cwolf.wait().expect("it ended");
}

#[test]
#[allow(clippy::print_stderr)]
fn a_report_is_stepped_through() {
    let Some(browser) = Browser::start() else {
        eprintln!("skipped: chromedriver or Chromium is missing (Debian package chromium-driver)");
        return;
    };
    let report = Path::new(env!("CARGO_TARGET_TMPDIR")).join("viewed-report.json");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let made = Command::new(CWOLF)
        .args(["-q", "verify", "--json"])
        .arg(&report)
        .arg(examples.join("bugs/use_after_free.c"))
        .stdout(Stdio::null())
        .status();
    assert_eq!(made.expect("it starts").code(), Some(10));
    let (mut cwolf, url) = view(&report);
    browser.open(&url);
    let verdict = "document.getElementById('verdict').textContent";
    browser.wait(&format!("{verdict} === 'VERDICT: false(pointer)'"));
    // It starts at the end; back and forth moves the marked line.
    let line = "document.querySelector('#code .now span').textContent";
    browser.wait(&format!("{line} === '20'"));
    browser.click("#first");
    browser.wait(&format!("{line} === '27'"));
    browser.click("#next");
    browser.wait(&format!("{line} === '10'"));
    browser.wait("document.querySelectorAll('#code i.fails').length === 1");
    browser.wait("document.querySelectorAll('#properties tr.fails').length === 1");
    cwolf.kill().expect("it ends");
    cwolf.wait().expect("it ended");
}

#[test]
#[allow(clippy::print_stderr)]
fn a_page_in_one_file_is_searched() {
    let Some(browser) = Browser::start() else {
        eprintln!("skipped: chromedriver or Chromium is missing (Debian package chromium-driver)");
        return;
    };
    let page = Path::new(env!("CARGO_TARGET_TMPDIR")).join("model.html");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/fsm");
    let made = Command::new(CWOLF)
        .args(["-q", "model", "-a"])
        .arg(examples.join("fsm.am"))
        .arg("-l")
        .arg(examples.join("fsm.lm"))
        .arg(examples.join("fsm.c"))
        .arg("-o")
        .arg(&page)
        .status();
    assert!(made.expect("it starts").success());
    browser.open(&format!("file://{}", page.display()));
    browser.wait("document.querySelectorAll('g[data-node]').length === 37");
    browser.write("#text", "accept");
    browser.wait("document.querySelectorAll('#picture g.found').length > 0");
    browser.click("#found li button");
    browser.wait("document.querySelector('#out').textContent.includes('accept')");
    browser.click("#out li button");
    browser.wait("document.querySelectorAll('#out li').length === 0");
    let loaded = browser.script("return performance.getEntriesByType('resource').length");
    assert_eq!(loaded, 0, "nothing is loaded");
}
