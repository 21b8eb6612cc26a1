//! `unburden healthcheck`: asks a running service whether it is alive, so that a
//! container without a shell or curl can be watched.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use super::arguments::Healthcheck;
use super::{CliError, Exit, say};
use crate::config::Config;

const PATIENCE: Duration = Duration::from_secs(3);

pub(super) fn run(options: &Healthcheck) -> Result<Exit, CliError> {
    let configured = Config::load(options.config.as_deref())?.server.listen;
    let mut address = options.address.unwrap_or(configured);
    if address.ip().is_unspecified() {
        address.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    match ask(address) {
        Ok(head) if head.starts_with("HTTP/1.1 200") => Ok(Exit::Success),
        Ok(head) => {
            say(format_args!("{address} answered {}", head.lines().next().unwrap_or("nothing")));
            Ok(Exit::Nothing)
        }
        Err(error) => {
            say(format_args!("{address} does not answer: {error}"));
            Ok(Exit::Nothing)
        }
    }
}

fn ask(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(stream, "GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut head = [0; 256];
    let read = stream.read(&mut head)?;
    Ok(String::from_utf8_lossy(&head[..read]).into_owned())
}
