//! The settings of an object store, and the client built from them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, S3ConditionalPut};
use object_store::{ClientOptions, ObjectStore, RetryConfig};

use super::key_path::key_of;

/// Timeout for connecting.
const CONNECT: Duration = Duration::from_secs(5);

/// Timeout of a request, even if its operation may wait longer.
const REQUEST: Duration = Duration::from_secs(60);

/// The settings of a server's URL. The first one wins.
const ENDPOINTS: [AmazonS3ConfigKey; 2] =
    [AmazonS3ConfigKey::S3Endpoint, AmazonS3ConfigKey::Endpoint];

/// The settings of an object store. Credentials come from the environment, as for AWS tools:
/// `AWS_ACCESS_KEY_ID` and others, a web identity, a container's or a machine's role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectSettings {
    /// `s3://BUCKET` or `s3://BUCKET/PREFIX`.
    pub url: String,
    /// The server's URL; `None` for the environment's (`AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`),
    /// or else AWS.
    pub endpoint: Option<String>,
    /// True to name the bucket in the path instead of the host's name; `None` to do so if there is
    /// an endpoint.
    pub path_style: Option<bool>,
    /// The region; `None` for the environment's, or else `us-east-1`.
    pub region: Option<String>,
    /// Longest time that one operation waits for the store.
    pub timeout: Duration,
    /// The folder of the cache of contents; `None` for one below the system's folder for temporary
    /// files.
    pub cache_dir: Option<PathBuf>,
    /// Size of the cache in bytes.
    pub cache_bytes: u64,
}

/// The parts of a URL.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BucketUrl {
    pub(super) bucket: String,
    pub(super) prefix: String,
}

impl BucketUrl {
    /// Parses `s3://BUCKET/PREFIX`; `None` for anything else.
    pub(super) fn parse(url: &str) -> Option<BucketUrl> {
        let rest = url.trim().strip_prefix("s3://")?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        let is_bucket = !bucket.is_empty() && bucket.bytes().all(plain);
        let is_prefix = !prefix.split('/').any(|part| part == "." || part == "..");
        (is_bucket && is_prefix)
            .then(|| BucketUrl { bucket: bucket.to_owned(), prefix: key_of(prefix.as_ref()) })
    }
}

/// Returns true if the text is the URL of a server.
pub(super) fn is_endpoint(text: &str) -> bool {
    let url = reqwest::Url::parse(text).ok();
    url.is_some_and(|url| url.has_host() && ["http", "https"].contains(&url.scheme()))
}

impl ObjectSettings {
    /// Returns the client of the bucket; makes no request.
    pub(super) fn client(&self, bucket: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
        Ok(Arc::new(self.builder(AmazonS3Builder::from_env(), bucket).build()?))
    }

    fn builder(&self, environment: AmazonS3Builder, bucket: &str) -> AmazonS3Builder {
        // `Objects` retries, and stops requests that take too long.
        let options = ClientOptions::new()
            .with_timeout(REQUEST.max(self.timeout))
            .with_connect_timeout(CONNECT);
        let retry = RetryConfig { max_retries: 0, ..RetryConfig::default() };
        let known = ENDPOINTS.iter().find_map(|key| environment.get_config_value(key));
        let endpoint = self.endpoint.clone().or(known);
        let is_path_style = self.path_style.unwrap_or(endpoint.is_some());
        let mut builder = environment
            .with_bucket_name(bucket)
            .with_client_options(options)
            .with_retry(retry)
            .with_virtual_hosted_style_request(!is_path_style)
            .with_conditional_put(S3ConditionalPut::ETagMatch);
        if let Some(region) = &self.region {
            builder = builder.with_region(region);
        }
        if let Some(endpoint) = endpoint {
            builder = builder
                .with_allow_http(endpoint.starts_with("http://"))
                .with_config(ENDPOINTS[0], endpoint);
        }
        builder
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_url_of_a_server_is_an_endpoint() {
        for good in ["http://127.0.0.1:8333", "https://s3.example.com/path"] {
            assert!(is_endpoint(good), "{good}");
        }
        for bad in ["", "11884", "s3.example.com", "http://", "ftp://host", "file:///etc"] {
            assert!(!is_endpoint(bad), "{bad}");
        }
    }

    #[test]
    fn the_server_is_that_of_the_settings_else_of_the_environment() {
        use AmazonS3ConfigKey::{Endpoint, S3Endpoint, VirtualHostedStyleRequest};
        let made = |endpoint: Option<&str>,
                    path_style,
                    environment: &[(&AmazonS3ConfigKey, &str)]| {
            let settings = ObjectSettings {
                url: "s3://b".to_owned(),
                endpoint: endpoint.map(str::to_owned),
                path_style,
                region: None,
                timeout: CONNECT,
                cache_dir: None,
                cache_bytes: 0,
            };
            let known = environment.iter().fold(AmazonS3Builder::new(), |builder, (key, value)| {
                builder.with_config(**key, *value)
            });
            let builder = settings.builder(known, "b");
            let is_hosted = builder.get_config_value(&VirtualHostedStyleRequest).unwrap();
            (builder.get_config_value(&S3Endpoint), is_hosted == "false")
        };
        let of = |endpoint: &str, is_path_style| (Some(endpoint.to_owned()), is_path_style);
        let environment = [(&Endpoint, "http://all"), (&S3Endpoint, "http://s3")];
        assert_eq!(made(None, None, &[]), (None, false));
        assert_eq!(made(None, None, &environment[..1]), of("http://all", true));
        assert_eq!(made(None, None, &environment), of("http://s3", true));
        assert_eq!(made(Some("http://own"), None, &environment), of("http://own", true));
        assert_eq!(made(Some("http://own"), Some(false), &[]), of("http://own", false));
        assert_eq!(made(None, Some(true), &[]), (None, true));
    }

    #[test]
    fn only_a_bucket_with_a_plain_prefix_is_a_url() {
        let parse = |url| BucketUrl::parse(url).map(|url| (url.bucket, url.prefix));
        let of = |bucket: &str, prefix: &str| Some((bucket.to_owned(), prefix.to_owned()));
        assert_eq!(parse("s3://b"), of("b", ""));
        assert_eq!(parse("s3://b/"), of("b", ""));
        assert_eq!(parse("s3://my-b.x/one/two/"), of("my-b.x", "one/two"));
        for url in ["", "s3://", "s3:///x", "http://b/x", "s3://b c/x", "s3://b/../x", "b/x"] {
            assert_eq!(parse(url), None, "{url}");
        }
    }
}
