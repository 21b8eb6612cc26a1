//! Tenants: a service each, so that nothing one of them posts, stores or is
//! remembered for can reach another. Memory, turns and the workers of jq are shared
//! fairly; the model is shared.

use std::sync::Arc;

use fair_share::Holder;

use super::{Means, OpenError, Service};
use crate::config::Config;

/// A service and whose it is.
pub struct Tenant {
    /// The name in the configuration, for logs; None for the operator's own.
    pub name: Option<String>,
    /// What it sees.
    pub service: Arc<Service>,
}

/// The services of a configuration: the operator's own first, then the tenants'. The
/// caches are divided among them.
pub fn open_all(config: &Config) -> Result<Vec<Tenant>, OpenError> {
    let means = Means::prepare(config)?;
    let parts = config.tenants.len() + 1;
    let mut share = config.clone();
    share.cache.measured_bytes /= parts as u64;
    share.cache.replacement_bytes /= parts as u64;
    share.cache.files = (share.cache.files / parts).max(1);
    let own = Service::open_with(&share, &means, Holder::default())?;
    let mut opened = vec![Tenant { name: None, service: Arc::new(own) }];
    for (number, (name, tenant)) in config.tenants.iter().enumerate() {
        share.store.roots.clone_from(&tenant.roots);
        let service = Service::open_with(&share, &means, Holder(number + 1))?;
        for other in &opened {
            let (Some(one), Some(folder)) = (&other.name, other.service.shared(&service)) else {
                continue;
            };
            return Err(OpenError::Shared { one: one.clone(), other: name.clone(), folder });
        }
        opened.push(Tenant { name: Some(name.clone()), service: Arc::new(service) });
    }
    Ok(opened)
}

impl Service {
    /// A folder that lies within the roots of both, if there is one.
    fn shared(&self, other: &Service) -> Option<String> {
        self.roots.overlap(&other.roots)
    }
}
