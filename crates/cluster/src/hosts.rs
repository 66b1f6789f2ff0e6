//! Who takes part, and connections to all of them.

use crate::link::{ENDED, Link, Lost, Watch, last_word, read_last_word};
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The processes of a run.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// The address (`host:port`) of each process.
    pub addresses: Vec<String>,
    /// Which of them this one is.
    pub process: usize,
    /// How many workers each process has.
    pub workers: usize,
    /// How long a process may take to appear.
    pub patience: Duration,
}

/// Why a list of hosts cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadHosts {
    /// No line names a host.
    #[error("the list of hosts is empty")]
    Empty,
    /// A line is not `host:port`.
    #[error("line {0}: `{1}` is not an address; write for example 127.0.0.1:4100")]
    Address(usize, String),
    /// Two lines are the same.
    #[error("`{0}` is listed twice")]
    Twice(String),
    /// There is no such process.
    #[error("there is no process {0}: the list has {1}, numbered from 0")]
    Process(usize, usize),
}

/// Reads a list of hosts: one `host:port` a line; text after `#` is a comment.
pub fn parse_hosts(text: &str) -> Result<Vec<String>, BadHosts> {
    let mut list: Vec<String> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let port = line
            .rsplit_once(':')
            .map(|(host, port)| (host, port.parse::<u16>()));
        if !matches!(port, Some((host, Ok(1..))) if !host.is_empty() && !host.contains(' ')) {
            return Err(BadHosts::Address(n + 1, line.to_owned()));
        }
        if list.iter().any(|known| known == line) {
            return Err(BadHosts::Twice(line.to_owned()));
        }
        list.push(line.to_owned());
    }
    match list.is_empty() {
        true => Err(BadHosts::Empty),
        false => Ok(list),
    }
}

const MAGIC: [u8; 8] = *b"cwolf\0\0\x01";
const HELLO: usize = 8 + 4 + 4 + 4 + 16;
/// How long someone who connected may take to say who it is.
const HELLO_TIME: Duration = Duration::from_secs(3);
const RETRY: Duration = Duration::from_millis(50);
/// How often a process that waits for another looks whether those that came before are there.
const LOOK: Duration = Duration::from_millis(200);

/// What two processes tell each other first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hello {
    process: u32,
    processes: u32,
    workers: u32,
    job: u128,
}

impl Hello {
    fn bytes(self) -> Vec<u8> {
        let mut bytes = Vec::from(MAGIC);
        bytes.extend(self.process.to_le_bytes());
        bytes.extend(self.processes.to_le_bytes());
        bytes.extend(self.workers.to_le_bytes());
        bytes.extend(self.job.to_le_bytes());
        bytes
    }
    /// Reads what the other one says, as long as it is of use (`look`).
    fn read(socket: &mut TcpStream, patience: Duration, look: impl Fn() -> bool) -> Option<Hello> {
        let mut bytes = [0; HELLO];
        // All of it in that time: who sends a byte now and then must not hold up the others.
        let end = Instant::now() + patience;
        let mut got = 0;
        while got < HELLO {
            let left = end.checked_duration_since(Instant::now())?;
            let left = left.clamp(Duration::from_millis(1), LOOK);
            socket.set_read_timeout(Some(left)).ok()?;
            match socket.read(&mut bytes[got..]) {
                Ok(0) => return None,
                Ok(count) => got += count,
                Err(error) if is_nothing(&error) && look() => {}
                Err(_) => return None,
            }
        }
        let word = |at: usize| {
            let word: [u8; 4] = bytes[at..at + 4].try_into().expect("four bytes");
            u32::from_le_bytes(word)
        };
        let job: [u8; 16] = bytes[20..].try_into().expect("sixteen bytes");
        (bytes[..8] == MAGIC).then_some(Hello {
            process: word(8),
            processes: word(12),
            workers: word(16),
            job: u128::from_le_bytes(job),
        })
    }
    /// Why two processes cannot work together.
    fn misfit(self, other: Hello) -> Option<&'static str> {
        if self.processes != other.processes {
            Some("has a list of hosts of another length")
        } else if self.workers != other.workers {
            Some("has another number of workers (--jobs)")
        } else if self.job != other.job {
            Some("works on another program, or with other maps, options or version")
        } else {
            None
        }
    }
}

/// Connects this process to all others, whoever starts first. `job` tells what is worked on.
pub(crate) fn connect(
    hosts: &Hosts,
    job: u128,
    watch: &Arc<Watch>,
) -> Result<Vec<Option<Link>>, Lost> {
    let me = hosts.process;
    let hello = Hello {
        process: me as u32,
        processes: hosts.addresses.len() as u32,
        workers: hosts.workers as u32,
        job,
    };
    let end = Instant::now() + hosts.patience;
    let mut sockets: Vec<Option<TcpStream>> = hosts.addresses.iter().map(|_| None).collect();
    let mine = |reason: String| watch.lose(me, reason).clone();
    let allowed = addresses(&hosts.addresses);
    let met = if me + 1 < hosts.addresses.len() {
        let address = &hosts.addresses[me];
        let cannot = |error| mine(format!("cannot listen there: {error}"));
        let listener = TcpListener::bind(address).map_err(cannot)?;
        listener.set_nonblocking(true).map_err(cannot)?;
        let door = Door {
            listener,
            hello,
            allowed,
        };
        dial(hosts, hello, end, &mut sockets, watch)
            .and_then(|()| door.accept(end, &mut sockets, watch))
            .inspect_err(|lost| door.linger(end, &mut sockets, lost.process))
    } else {
        dial(hosts, hello, end, &mut sockets, watch)
    };
    if let Err(lost) = met {
        // Those that are there should not think that it was because of us.
        for socket in sockets.iter_mut().flatten() {
            let _ = socket.set_write_timeout(Some(LOOK));
            let _ = socket.write_all(&last_word(&lost));
        }
        return Err(lost);
    }
    let link = |(peer, socket): (usize, Option<TcpStream>)| {
        let socket = socket.map(|s| Link::new(s, peer, Arc::clone(watch)));
        socket.transpose().map_err(|error| {
            watch
                .lose(peer, format!("cannot be reached: {error}"))
                .clone()
        })
    };
    sockets.into_iter().enumerate().map(link).collect()
}

/// The machines that may connect.
fn addresses(hosts: &[String]) -> Vec<IpAddr> {
    let all = hosts.iter().filter_map(|h| h.to_socket_addrs().ok());
    all.flatten().map(|a| a.ip()).collect()
}

fn is_nothing(error: &std::io::Error) -> bool {
    use ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}

/// Looks whether a process that was connected has gone, or has given up because of another.
fn look(sockets: &[Option<TcpStream>], watch: &Watch) -> Result<(), Lost> {
    for (peer, socket) in sockets.iter().enumerate() {
        let Some(socket) = socket else { continue };
        let mut bytes = [0; 1 << 10];
        let seen = socket.set_nonblocking(true);
        let seen = seen.and_then(|()| socket.peek(&mut bytes));
        let back = socket.set_nonblocking(false);
        match seen.and_then(|count| back.map(|()| count)) {
            Ok(0) => return Err(watch.lose(peer, ENDED).clone()),
            Ok(count) => {
                if let Some((process, reason)) = read_last_word(&bytes[..count]) {
                    return Err(watch.lose(process, reason).clone());
                }
            }
            Err(error) if is_nothing(&error) => {}
            Err(_) => return Err(watch.lose(peer, ENDED).clone()),
        }
    }
    Ok(())
}

/// Connects to the processes with smaller numbers.
fn dial(
    hosts: &Hosts,
    hello: Hello,
    end: Instant,
    sockets: &mut [Option<TcpStream>],
    watch: &Watch,
) -> Result<(), Lost> {
    for peer in 0..hosts.process {
        let address = &hosts.addresses[peer];
        let mut last = String::from("did not appear in time");
        loop {
            let called = call(address, hello, end, || look(sockets, watch).is_ok());
            look(sockets, watch)?;
            match called {
                Ok((socket, other)) if other.process as usize == peer => {
                    if let Some(reason) = hello.misfit(other) {
                        return Err(watch.lose(peer, reason).clone());
                    }
                    sockets[peer] = Some(socket);
                    break;
                }
                Ok((_, other)) => {
                    let reason = format!("says that it is process {}", other.process);
                    return Err(watch.lose(peer, reason).clone());
                }
                Err(Some(error)) => last = format!("did not appear in time: {error}"),
                Err(None) => {}
            }
            if Instant::now() >= end {
                return Err(watch.lose(peer, last).clone());
            }
            std::thread::sleep(RETRY);
        }
    }
    Ok(())
}

/// One attempt; without an error if someone was there who did not answer.
fn call(
    address: &str,
    hello: Hello,
    end: Instant,
    look: impl Fn() -> bool,
) -> Result<(TcpStream, Hello), Option<std::io::Error>> {
    let left = end.saturating_duration_since(Instant::now());
    let left = left.max(Duration::from_millis(100));
    let list: Vec<SocketAddr> = address.to_socket_addrs().map_err(Some)?.collect();
    let mut error = None;
    for address in list {
        match TcpStream::connect_timeout(&address, left) {
            Ok(mut socket) => {
                // Nobody listens yet, and the port from which we called is that one by chance.
                if socket.local_addr().ok() == socket.peer_addr().ok() {
                    return Err(None);
                }
                socket.write_all(&hello.bytes()).map_err(Some)?;
                // It answers when its turn has come: it may still wait for others itself.
                let other = Hello::read(&mut socket, left, look).ok_or(None)?;
                return Ok((socket, other));
            }
            Err(e) => error = Some(e),
        }
    }
    Err(error)
}

/// Where processes with larger numbers come in.
struct Door {
    listener: TcpListener,
    hello: Hello,
    allowed: Vec<IpAddr>,
}

impl Door {
    /// A machine of the list; this one may have many names for itself.
    fn may_come(&self, from: IpAddr) -> bool {
        let local = || from.is_loopback() && self.allowed.iter().any(IpAddr::is_loopback);
        self.allowed.contains(&from) || local()
    }
    /// Answers one process, if one has come; otherwise waits a little.
    fn greet(&self, processes: usize) -> Option<(TcpStream, Hello)> {
        let Ok((mut socket, from)) = self.listener.accept() else {
            std::thread::sleep(RETRY);
            return None;
        };
        // Strangers are not answered.
        if !self.may_come(from.ip()) {
            return None;
        }
        socket.set_nonblocking(false).ok()?;
        let other = Hello::read(&mut socket, HELLO_TIME, || true)?;
        let awaited = self.hello.process + 1..processes as u32;
        if !awaited.contains(&other.process) {
            return None;
        }
        // The answer comes even if it does not fit: then both know.
        let answered = socket.write_all(&self.hello.bytes());
        (answered.is_ok() || self.hello.misfit(other).is_some()).then_some((socket, other))
    }
    /// Waits for all.
    fn accept(
        &self,
        end: Instant,
        sockets: &mut [Option<TcpStream>],
        watch: &Watch,
    ) -> Result<(), Lost> {
        let first = self.hello.process as usize + 1;
        while let Some(missing) = (first..sockets.len()).find(|p| sockets[*p].is_none()) {
            if let Some((socket, other)) = self.greet(sockets.len()) {
                let peer = other.process as usize;
                if let Some(reason) = self.hello.misfit(other) {
                    return Err(watch.lose(peer, reason).clone());
                }
                sockets[peer] = Some(socket);
            }
            look(sockets, watch)?;
            if Instant::now() >= end {
                let reason = "did not appear in time";
                return Err(watch.lose(missing, reason).clone());
            }
        }
        Ok(())
    }
    /// The run is over before it has begun: waits for those who do not know it yet, except the
    /// one because of whom.
    fn linger(&self, end: Instant, sockets: &mut [Option<TcpStream>], lost: usize) {
        let first = self.hello.process as usize + 1;
        let missing = |sockets: &[Option<TcpStream>]| {
            (first..sockets.len()).any(|p| p != lost && sockets[p].is_none())
        };
        while missing(sockets) && Instant::now() < end {
            if let Some((socket, other)) = self.greet(sockets.len()) {
                sockets[other.process as usize] = Some(socket);
            }
        }
    }
}

/// Loopback addresses that nobody uses, for processes on this machine.
pub fn free_addresses(count: usize) -> std::io::Result<Vec<String>> {
    // The processes take the ports after this function has let them go. Where the whole network 127 is
    // this machine, each list has an address of its own, so that nobody else takes them in between.
    static LISTS: AtomicU32 = AtomicU32::new(0);
    let [.., high, low] = std::process::id().to_be_bytes();
    let list = LISTS.fetch_add(1, Ordering::Relaxed) % 254;
    let own = Ipv4Addr::new(127, high, low, list as u8 + 1);
    let own = match TcpListener::bind((own, 0)) {
        Ok(_) => own,
        Err(_) => Ipv4Addr::LOCALHOST,
    };
    // All are held until the last is known, so that none is given out twice.
    let sockets = (0..count).map(|_| TcpListener::bind((own, 0)));
    let sockets = sockets.collect::<std::io::Result<Vec<_>>>()?;
    let address = |s: &TcpListener| Ok(s.local_addr()?.to_string());
    sockets.iter().map(address).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_hosts() {
        let text = "# two\n127.0.0.1:4100\n\n [::1]:4101 # here\n";
        let list = parse_hosts(text).expect("a list");
        assert_eq!(list, ["127.0.0.1:4100", "[::1]:4101"]);
        assert_eq!(parse_hosts("# none\n"), Err(BadHosts::Empty));
        let bad = ["a", "a:", ":1", "a:0", "a b:1", "a:70000"];
        for line in bad {
            assert_eq!(
                parse_hosts(line),
                Err(BadHosts::Address(1, line.to_owned()))
            );
        }
        assert_eq!(
            parse_hosts("a:1\na:1"),
            Err(BadHosts::Twice("a:1".to_owned()))
        );
    }
}
