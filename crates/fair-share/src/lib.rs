//! Deals out what tenants share, so that none has to wait for another's work.
//!
//! - [`Places`]: so many of a kind are worked on at a time. No tenant has more than half of
//!   them, and the next free one goes to the tenant that has the fewest.
//! - [`on`]: parallel work runs on a pool of threads of the tenant that this thread has
//!   [`enter`]ed, so that the system deals out the cores.
//!
//! ```
//! use std::time::{Duration, Instant};
//!
//! use fair_share::{Holder, Places, enter, on};
//!
//! let (one, other) = (Holder(1), Holder(2));
//! let places = Places::new(2, 2);
//! let soon = || Instant::now() + Duration::from_millis(1);
//! let first = places.take_until(one, soon()).unwrap();
//! assert!(places.take_until(one, soon()).is_none(), "it has its half");
//! let second = places.take_until(other, soon()).unwrap();
//! drop((first, second));
//!
//! let _entered = enter(one);
//! let (left, right) = on(|| rayon::join(|| 1 + 1, || 2 + 2));
//! assert_eq!(left + right, 6);
//! ```

mod places;
mod pools;

pub use places::{Holder, Place, Places, share};
pub use pools::{Entered, enter, on};
