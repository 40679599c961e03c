use std::time::Duration;

/// A client whose TLS is rustls with ring. `proxy` says whether the environment's proxies are
/// used. It follows no redirect, for that would take a key elsewhere.
///
/// # Errors
///
/// When the certificates of the system cannot be read.
pub fn client(proxy: bool) -> Result<reqwest::Client, reqwest::Error> {
    // Fails where another part of the process chose one before, which is as good.
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
