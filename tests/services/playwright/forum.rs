//! Site of the tests: a small forum with sessions, and pages that do what no site should.

use std::fmt::Write as _;

use mcpmark_playwright::Site;
use mcpmark_playwright::sites::{SiteContext, SiteFault, SiteRequest, SiteResponse, SqlValue};

/// Definitions of the forum's tables.
pub(crate) const TABLES: &str = "CREATE TABLE accounts (name TEXT PRIMARY KEY, password TEXT NOT NULL);\n\
     CREATE TABLE sessions (token TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts (name));\n\
     CREATE TABLE threads (id INTEGER PRIMARY KEY, title TEXT NOT NULL);\n\
     CREATE TABLE posts (id INTEGER PRIMARY KEY AUTOINCREMENT, thread INTEGER NOT NULL REFERENCES threads (id), \
     author TEXT NOT NULL, text TEXT NOT NULL, time INTEGER NOT NULL);\n";

/// Rows of the forum.
pub(crate) const ROWS: [(&str, &str); 3] = [
    (
        "accounts",
        "[\"name\",\"password\"]\n[\"ann\",\"tulip\"]\n[\"ben\",\"oak\"]\n",
    ),
    (
        "threads",
        "[\"id\",\"title\"]\n[1,\"Bread <and> butter\"]\n[2,\"Lost keys\"]\n",
    ),
    (
        "posts",
        "[\"id\",\"thread\",\"author\",\"text\",\"time\"]\n[1,1,\"ben\",\"Which flour?\",1769930000]\n",
    ),
];

/// The forum.
pub(crate) struct Forum;

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn text(value: &SqlValue) -> String {
    match value {
        SqlValue::Integer(number) => number.to_string(),
        SqlValue::Text(text) => text.clone(),
        _ => String::new(),
    }
}

fn page(title: &str, body: &str) -> SiteResponse {
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><title>{title}</title><link rel=\"stylesheet\" href=\"/style.css\">\
         </head><body><h1>{title}</h1>{body}</body></html>",
        title = escape(title)
    );
    SiteResponse {
        status: 200,
        headers: vec![("content-type".into(), "text/html; charset=utf-8".into())],
        body: html.into_bytes(),
        session: None,
    }
}

fn redirect(to: &str) -> SiteResponse {
    SiteResponse {
        status: 303,
        headers: vec![("location".into(), to.to_owned())],
        ..SiteResponse::default()
    }
}

fn parameter(value: &str) -> SqlValue {
    SqlValue::Text(value.to_owned())
}

/// Returns the account of the session, if there is one.
fn account(request: &SiteRequest, context: &mut SiteContext) -> Result<Option<String>, SiteFault> {
    let Some(token) = request.cookie("session") else {
        return Ok(None);
    };
    let sql = "SELECT account FROM sessions WHERE token = ?1";
    let found = context.sql(sql, &[parameter(token)])?;
    Ok(found.rows.first().map(|row| text(&row[0])))
}

fn thread(id: i64, context: &mut SiteContext) -> Result<SiteResponse, SiteFault> {
    let id = SqlValue::Integer(id);
    let title = context.sql(
        "SELECT title FROM threads WHERE id = ?1",
        std::slice::from_ref(&id),
    )?;
    let Some(title) = title.rows.first().map(|row| text(&row[0])) else {
        return Ok(SiteResponse {
            status: 404,
            ..page("No such thread", "")
        });
    };
    let sql = "SELECT author, text FROM posts WHERE thread = ?1 ORDER BY id";
    let mut body = String::from("<ul>");
    for row in context.sql(sql, &[id])?.rows {
        let (author, text) = (escape(&text(&row[0])), escape(&text(&row[1])));
        write!(body, "<li>{author}: {text}</li>").unwrap();
    }
    body.push_str(
        "</ul><form method=\"post\"><label>Reply <textarea name=\"text\"></textarea></label>\
         <button>Post</button></form>",
    );
    Ok(page(&title, &body))
}

fn respond(request: &SiteRequest, context: &mut SiteContext) -> Result<SiteResponse, SiteFault> {
    let account = account(request, context)?;
    let session = account.clone();
    let id = request.path.strip_prefix("/thread/");
    let id = id.and_then(|id| id.parse::<i64>().ok());
    let response = match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/") => {
            let mut body = format!(
                "<p>Signed in: {}</p><a href=\"/login\">Log in</a><ul>",
                escape(account.as_deref().unwrap_or("nobody"))
            );
            for row in context
                .sql("SELECT id, title FROM threads ORDER BY id", &[])?
                .rows
            {
                let (id, title) = (text(&row[0]), escape(&text(&row[1])));
                write!(body, "<li><a href=\"/thread/{id}\">{title}</a></li>").unwrap();
            }
            page("Forum", &(body + "</ul>"))
        }
        ("GET", "/login") => page(
            "Log in",
            "<form method=\"post\"><label>Name <input name=\"name\"></label>\
             <label>Password <input name=\"password\" type=\"password\"></label><button>Log in</button></form>",
        ),
        ("POST", "/login") => {
            let name = request.field("name").unwrap_or_default();
            let password = request.field("password").unwrap_or_default();
            let sql = "SELECT 1 FROM accounts WHERE name = ?1 AND password = ?2";
            let known = context.sql(sql, &[parameter(name), parameter(password)])?;
            if known.rows.is_empty() {
                return Ok(SiteResponse {
                    status: 403,
                    ..page("Wrong name or password", "")
                });
            }
            let token = format!("{:016x}", context.random());
            let sql = "INSERT INTO sessions VALUES (?1, ?2)";
            context.sql(sql, &[parameter(&token), parameter(name)])?;
            let mut response = redirect("/");
            let cookie = format!("session={token}; HttpOnly; Path=/");
            response.headers.push(("set-cookie".into(), cookie));
            response.session = Some(name.to_owned());
            return Ok(response);
        }
        ("GET", _) if id.is_some() => thread(id.unwrap_or_default(), context)?,
        ("POST", _) if id.is_some() => {
            let Some(author) = &account else {
                return Ok(redirect("/login"));
            };
            let values = [
                SqlValue::Integer(id.unwrap_or_default()),
                parameter(author),
                parameter(request.field("text").unwrap_or_default()),
                SqlValue::Integer(context.now()),
            ];
            let sql = "INSERT INTO posts (thread, author, text, time) VALUES (?1, ?2, ?3, ?4)";
            context.sql(sql, &values)?;
            redirect(&request.path)
        }
        ("GET", "/away") => redirect(request.query("to").unwrap_or("/")),
        ("GET", "/broken") => {
            context.sql("DELETE FROM posts", &[])?;
            return Err(SiteFault::World("this page is broken".to_owned()));
        }
        ("GET", "/clock") => page(
            "Clock",
            "<p id=\"time\"></p><script>document.getElementById('time').textContent = \
             new Date().toISOString().slice(0, 13)</script>",
        ),
        ("GET", "/alert") => page(
            "Alert",
            // After the page has loaded: a dialog before that holds up the navigation itself.
            "<script>onload = () => setTimeout(() => alert('stop'), 500)</script>",
        ),
        _ => SiteResponse {
            status: 404,
            ..page("No such page", "")
        },
    };
    Ok(SiteResponse {
        session,
        ..response
    })
}

impl Site for Forum {
    fn answer(
        &self,
        request: SiteRequest,
        mut context: SiteContext,
    ) -> Result<SiteResponse, SiteFault> {
        respond(&request, &mut context)
    }
}
