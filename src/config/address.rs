//! Addresses to listen on or to connect to.

use std::net::SocketAddr;

use serde::{Deserialize, Deserializer};

/// The error of a text that is not an address.
#[derive(Debug, thiserror::Error)]
#[error(
    "\"{0}\" is not an address; accepted is an IP address with a port, such as 127.0.0.1:8002, \
     [::1]:8002, or 0.0.0.0:8002 for every network"
)]
pub(crate) struct InvalidAddress(String);

/// Parses an IP address with a port.
pub(crate) fn parse(text: &str) -> Result<SocketAddr, InvalidAddress> {
    text.trim().parse().map_err(|_| InvalidAddress(text.chars().take(80).collect()))
}

/// Reads an address.
pub(super) fn address<'de, D: Deserializer<'de>>(from: D) -> Result<SocketAddr, D::Error> {
    parse(&String::deserialize(from)?).map_err(serde::de::Error::custom)
}

/// Reads an address that may be missing.
pub(super) fn optional_address<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<SocketAddr>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    text.map(|text| parse(&text)).transpose().map_err(serde::de::Error::custom)
}
