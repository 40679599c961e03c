//! Opening of a connection: address, start-up message, authentication.

use std::io;
use std::time::Duration;

use bytes::BytesMut;
use mcpmark_service::BoxedStream;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::frontend;
use tokio::net::{TcpStream, UnixStream};
use tokio_postgres::Config;
use tokio_postgres::config::Host;

use super::connection::{Connection, QueryError};
use super::message::Frame;

/// Default port of PostgreSQL.
const PORT: u16 = 5432;

/// Time limit for opening a connection, unless the configuration has one.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// Opens the byte stream to the first host of a configuration.
pub(super) async fn stream(config: &Config) -> io::Result<BoxedStream> {
    let port = config.get_ports().first().copied().unwrap_or(PORT);
    let host = config.get_hosts().first().ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, "the configuration has no host")
    })?;
    Ok(match host {
        Host::Tcp(name) => {
            let stream = TcpStream::connect((name.as_str(), port)).await?;
            stream.set_nodelay(true)?;
            Box::new(stream)
        }
        Host::Unix(directory) => {
            let socket = directory.join(format!(".s.PGSQL.{port}"));
            Box::new(UnixStream::connect(socket).await?)
        }
    })
}

/// Opens a connection within the time limit.
pub(super) async fn open(config: &Config) -> Result<Connection, QueryError> {
    let limit = config.get_connect_timeout().copied();
    let opened = tokio::time::timeout(limit.unwrap_or(CONNECT_TIMEOUT), authenticated(config));
    opened
        .await
        .map_err(|_| QueryError::Lost("connection timeout expired".to_owned()))?
}

async fn authenticated(config: &Config) -> Result<Connection, QueryError> {
    let mut connection = Connection::new(stream(config).await?, config.clone());
    let user = config.get_user().unwrap_or("postgres");
    let mut parameters = vec![("user", user), ("client_encoding", "UTF8")];
    parameters.push(("database", config.get_dbname().unwrap_or(user)));
    if let Some(options) = config.get_options() {
        parameters.push(("options", options));
    }
    if let Some(name) = config.get_application_name() {
        parameters.push(("application_name", name));
    }
    let mut message = BytesMut::new();
    frontend::startup_message(parameters, &mut message)?;
    connection.send(&message).await?;
    let password = config.get_password().unwrap_or_default();
    let mut scram: Option<ScramSha256> = None;
    loop {
        let (tag, body) = match connection.frame(usize::MAX).await? {
            Frame::Message { tag, body } => (tag, body),
            Frame::Skipped { tag: b'E', .. } => return Err(QueryError::LongError),
            Frame::Skipped { .. } => continue,
        };
        match tag {
            b'R' => {
                let code = body.get(..4).and_then(|code| code.try_into().ok());
                let code = code.map(u32::from_be_bytes);
                let data = body.get(4..).unwrap_or_default();
                let mut message = BytesMut::new();
                match (code, &mut scram) {
                    (Some(0), _) => continue,
                    (Some(3), _) => frontend::password_message(password, &mut message)?,
                    (Some(5), _) => {
                        let salt = data.try_into().map_err(|_| QueryError::malformed())?;
                        let hash = md5_hash(user.as_bytes(), password, salt);
                        frontend::password_message(hash.as_bytes(), &mut message)?;
                    }
                    (Some(10), _) => {
                        let client = ScramSha256::new(password, ChannelBinding::unsupported());
                        frontend::sasl_initial_response(
                            SCRAM_SHA_256,
                            client.message(),
                            &mut message,
                        )?;
                        scram = Some(client);
                    }
                    (Some(11), Some(client)) => {
                        client.update(data)?;
                        frontend::sasl_response(client.message(), &mut message)?;
                    }
                    (Some(12), Some(client)) => {
                        client.finish(data)?;
                        continue;
                    }
                    _ => {
                        return Err(QueryError::Lost(
                            "the server asks for an authentication method that is not supported"
                                .to_owned(),
                        ));
                    }
                }
                connection.send(&message).await?;
            }
            b'Z' => {
                connection.ready();
                return Ok(connection);
            }
            _ => connection.note(tag, &body)?,
        }
    }
}
