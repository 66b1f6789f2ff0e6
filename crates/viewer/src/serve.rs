//! The server: loopback only, a random token in the address, nothing but GET.

use crate::answer::Answer;
use std::net::SocketAddr;
use tiny_http::{Header, Method, Request, Response};

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The port cannot be had.
    #[error("cannot listen on 127.0.0.1:{port}: {reason}")]
    Listen {
        /// The port that was asked for.
        port: u16,
        /// What the system says.
        reason: String,
    },
    /// No random numbers.
    #[error("the system gives no random numbers")]
    Random,
}

/// A server that listens.
pub struct Server {
    server: tiny_http::Server,
    token: String,
    address: SocketAddr,
}

impl Server {
    /// Listens on the loopback device; port 0 takes any that is free.
    pub fn new(port: u16) -> Result<Server, ServeError> {
        let bad = |reason: String| ServeError::Listen { port, reason };
        let server =
            tiny_http::Server::http(("127.0.0.1", port)).map_err(|e| bad(e.to_string()))?;
        let address = server.server_addr().to_ip();
        let address = address.ok_or_else(|| bad("no address".into()))?;
        let mut bytes = [0u8; 16];
        getrandom::fill(&mut bytes).map_err(|_| ServeError::Random)?;
        let token = bytes.iter().map(|b| format!("{b:02x}")).collect();
        Ok(Server {
            server,
            token,
            address,
        })
    }
    /// What to open in a browser.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.token)
    }
    /// Answers requests, which are what follows the token in an address, until `ended` says so.
    pub fn run(&self, mut answer: impl FnMut(&str) -> Answer, ended: impl Fn() -> bool) {
        let pause = std::time::Duration::from_millis(200);
        while !ended() {
            if let Ok(Some(request)) = self.server.recv_timeout(pause) {
                self.respond(&mut answer, request);
            }
        }
    }

    fn respond(&self, answer: &mut impl FnMut(&str) -> Answer, request: Request) {
        // A page of another site may have this address under its own name: it must not read.
        let host = request.headers().iter().find(|h| h.field.equiv("Host"));
        let here = host.is_some_and(|h| {
            let host = h.value.as_str();
            host == self.address.to_string() || host == format!("localhost:{}", self.address.port())
        });
        let prefix = format!("/{}/", self.token);
        let inside = request.url().strip_prefix(prefix.as_str());
        let answer = match inside {
            Some(inside) if here && *request.method() == Method::Get => answer(inside),
            _ => Answer::nothing(),
        };
        let mut response = Response::from_data(answer.body).with_status_code(answer.status);
        let headers = [
            ("Content-Type", answer.kind),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Content-Security-Policy", answer.policy),
        ];
        for (name, value) in headers {
            if let Ok(header) = Header::from_bytes(name, value) {
                response.add_header(header);
            }
        }
        // A browser that went away is not our error.
        let _ = request.respond(response);
    }
}
