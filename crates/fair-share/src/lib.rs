//! Shares resources between tenants, so that no tenant has to wait for another tenant's work.
//!
//! - [`Places`] limits the number of concurrent operations. No tenant holds more than half of the
//!   places, and the next free one goes to the tenant that holds the fewest.
//! - [`on`] runs parallel work on the thread pool of the tenant that this thread has [`enter`]ed,
//!   so that the operating system's scheduler shares the cores.
//! - [`StripedLocks`] let one request at a time work on a file.
//!
//! ```
//! use std::time::{Duration, Instant};
//!
//! use fair_share::{Holder, Places, enter, on};
//!
//! // Two tenants share two places: each can hold one.
//! let (one, other) = (Holder(1), Holder(2));
//! let places = Places::new(2, 2);
//! let soon = || Instant::now() + Duration::from_millis(1);
//! let first = places.take_until(one, soon()).unwrap();
//! assert!(places.take_until(one, soon()).is_none(), "it holds its half");
//! let second = places.take_until(other, soon()).unwrap();
//! drop((first, second));
//!
//! // This thread works for the first tenant: the parallel parts run on its pool.
//! let _entered = enter(one);
//! let (left, right) = on(|| rayon::join(|| 1 + 1, || 2 + 2));
//! assert_eq!(left + right, 6);
//! ```

mod places;
mod pools;
mod striped_locks;

pub use places::{Holder, Place, Places, share};
pub use pools::{Entered, enter, on};
pub use striped_locks::StripedLocks;
