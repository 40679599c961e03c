//! HTTP client for model providers and external servers.

use std::time::Duration;

/// Creates an HTTP client with TLS by rustls and ring. `proxy` enables the proxies of the environment. Redirects are
/// not followed, because a redirect could send a key to another host.
///
/// # Errors
///
/// Returns an error if the certificates of the system cannot be read.
pub fn client(proxy: bool) -> Result<reqwest::Client, reqwest::Error> {
    // Fails if the process has already chosen a provider, which is sufficient.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .user_agent(concat!("mcpmark/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(Duration::from_secs(20))
        .redirect(reqwest::redirect::Policy::none());
    if proxy {
        builder.build()
    } else {
        builder.no_proxy().build()
    }
}
