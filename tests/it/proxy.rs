//! `unburden proxy`: the real binary in front of a scripted server, as a child and
//! over HTTP (`proxy/upstream.py`). What passes is compared byte for byte.

mod client;
mod distrust;
mod environment;
mod folder;
mod http;
mod lives;
mod materialised;
mod passes;
mod tools;
