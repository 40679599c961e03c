//! SDK for the sites of playwright worlds: routes, forms, sessions, queries, pages.
//!
//! A site is a library for `wasm32-unknown-unknown` that exports one function with [`site!`]. The host calls it for each
//! request to a host name of the world, in an instance of its own. A site remembers only what is in its database, which
//! it reaches through the [`Context`]; the time and random numbers come from there too, so that equal requests have
//! equal answers.
//!
//! Pages are written with the macro `html!` of the crate `maud`, which the manifest of a site names too.
//!
//! ```no_run
//! use maud::html;
//! use mcpmark_guest_site::{Answer, Context, Request, Response, Router, site};
//!
//! fn note(request: &Request, context: &mut Context<'_>) -> Answer {
//!     let id: i64 = request.parameter("id")?;
//!     let row = context.one("SELECT title, text FROM notes WHERE id = ?1", [id])?;
//!     let (title, text) = (row.text("title"), row.text("text"));
//!     Ok(Response::html(html! { h1 { (title) } p { (text) } }))
//! }
//!
//! fn answer(request: &mut Request, context: &mut Context<'_>) -> Response {
//!     Router::new().get("/notes/{id}", note).answer(request, context)
//! }
//!
//! site!(answer);
//! ```

mod bindings;
mod context;
mod error;
mod multipart;
mod pagination;
mod request;
mod response;
mod router;
mod session;
mod sql;
pub mod state;
#[cfg(test)]
mod testing;

pub use crate::context::{Backend, Context};
pub use crate::error::{Answer, Error};
pub use crate::multipart::Upload;
pub use crate::pagination::Pagination;
pub use crate::request::Request;
pub use crate::response::Response;
pub use crate::router::{Handler, Router};
pub use crate::session::{CSRF_FIELD, SESSIONS, Session};
pub use crate::sql::{NONE, Row, Rows, StoreError, Value};

/// Exports a `fn(&mut Request, &mut Context<'_>) -> Response` as the site of this library.
#[macro_export]
macro_rules! site {
    ($answer:path) => {
        const _: () = {
            struct Guest;
            impl $crate::__private::site::Guest for Guest {
                fn answer(
                    request: $crate::__private::site::Request,
                ) -> $crate::__private::site::Response {
                    $crate::__private::run($answer, request)
                }
            }
    $crate::__private::site::export_site!(Guest with_types_in $crate::__private::site);
        };
    };
}

/// Items used by the expansion of the macro.
#[doc(hidden)]
pub mod __private {
    use crate::Context;
    pub use crate::bindings::site;
    use crate::bindings::site::{Request, Response};

    /// Function that answers the requests of a site.
    pub type Function = fn(&mut crate::Request, &mut Context<'_>) -> crate::Response;

    pub fn run(answer: Function, request: Request) -> Response {
        report_panics();
        let mut host = crate::context::Host;
        let mut context = Context::new(&mut host);
        let response = match crate::Request::parse(
            request.method,
            request.host,
            &request.target,
            request.headers,
            request.body,
        ) {
            Ok(mut request) => answer(&mut request, &mut context),
            Err(error) => error.response(),
        };
        Response {
            status: response.status,
            headers: response.headers,
            body: response.body,
            account: response.account,
        }
    }

    #[cfg(target_arch = "wasm32")]
    fn report_panics() {
        use crate::bindings::site::mcpmark::site::log;
        std::panic::set_hook(Box::new(|info| {
            let message = info.payload_as_str().unwrap_or("a panic without a message");
            let place = info
                .location()
                .map(|place| format!(" ({}:{})", place.file(), place.line()));
            log::panic(&format!("{message}{}", place.unwrap_or_default()));
        }));
    }

    /// A native build reports panics as any other program.
    #[cfg(not(target_arch = "wasm32"))]
    fn report_panics() {}
}
