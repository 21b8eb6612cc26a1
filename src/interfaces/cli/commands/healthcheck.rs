//! `unburden healthcheck`: probes a running service, for containers without a shell or curl.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use crate::config::{Config, ServerConfig};
use crate::interfaces::cli::arguments::Healthcheck;
use crate::interfaces::cli::error::CliError;
use crate::interfaces::cli::exit::Exit;
use crate::interfaces::cli::output::print_status;

const TIMEOUT: Duration = Duration::from_secs(3);

pub(crate) fn run(options: &Healthcheck) -> Result<Exit, CliError> {
    let configured = Config::load(options.config.as_deref())?.server.listen;
    let mut address = options.address.unwrap_or(configured);
    if address.ip().is_unspecified() {
        address.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    match ask(address) {
        Ok(head) if head.starts_with("HTTP/1.1 200") => Ok(Exit::Success),
        Ok(head) => {
            let first = head.lines().next().unwrap_or("nothing");
            print_status(format_args!(
                "unburden: the service at http://{address} answered {first}"
            ));
            Ok(Exit::Negative)
        }
        Err(error) => {
            print_status(format_args!("unburden: {}", no_service(address, &error)));
            Ok(Exit::Negative)
        }
    }
}

/// Returns an error that no service answers, with the command that starts one.
fn no_service(address: SocketAddr, error: &io::Error) -> String {
    let listen = if address == ServerConfig::default().listen {
        String::new()
    } else {
        format!(" --listen {address}")
    };
    format!("no service at http://{address} ({error}); start it: unburden serve{listen}")
}

fn ask(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    write!(stream, "GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut head = [0; 256];
    let read = stream.read(&mut head)?;
    Ok(String::from_utf8_lossy(&head[..read]).into_owned())
}
