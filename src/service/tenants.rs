//! Tenants: each has a service of its own, so that nothing of one can reach another. Memory,
//! permits and query workers are shared fairly; the model is shared.

use std::sync::Arc;

use fair_share::Holder;

use super::open_error::OpenError;
use super::shared_resources::SharedResources;
use super::state::Service;
use crate::config::Config;

/// A tenant and its service.
pub struct Tenant {
    /// The name in the configuration, for logs; `None` for the operator.
    pub name: Option<String>,
    /// The service.
    pub service: Arc<Service>,
}

/// Opens the services of a configuration: the operator's first, then the tenants'. The caches
/// are divided among them.
pub fn open_all(config: &Config) -> Result<Vec<Tenant>, OpenError> {
    let resources = SharedResources::prepare(config)?;
    let parts = config.tenants.len() + 1;
    let mut share = config.clone();
    share.cache.measured_bytes /= parts as u64;
    share.cache.replacement_bytes /= parts as u64;
    share.cache.files = (share.cache.files / parts).max(1);
    let own = Service::open_with(&share, &resources, Holder::default())?;
    let mut opened = vec![Tenant { name: None, service: Arc::new(own) }];
    for (number, (name, tenant)) in config.tenants.iter().enumerate() {
        share.store.roots.clone_from(&tenant.roots);
        let service = Service::open_with(&share, &resources, Holder(number + 1))?;
        for other in &opened {
            let folder = other.service.roots.overlap(&service.roots);
            let (Some(one), Some(folder)) = (&other.name, folder) else { continue };
            return Err(OpenError::Shared { one: one.clone(), other: name.clone(), folder });
        }
        opened.push(Tenant { name: Some(name.clone()), service: Arc::new(service) });
    }
    Ok(opened)
}
