//! Servers, and what is asked of them: a head, a range, a list.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use object_store::aws::AmazonS3Builder;
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{ClientOptions, GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, RetryConfig};

use crate::address::{Address, Kind as Scheme, Secret};
use crate::error::{Kind, ObjectError, Result};
use crate::settings::Settings;

/// A bucket, or a server.
pub(crate) type Client = Arc<dyn ObjectStore>;

/// How long a server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// The client of the bucket or server of an address.
pub(crate) fn client(address: &Address, settings: &Settings) -> Result<Client> {
    let retry = RetryConfig {
        max_retries: settings.tries.saturating_sub(1),
        retry_timeout: settings.limit,
        ..RetryConfig::default()
    };
    let options = ClientOptions::new()
        .with_connect_timeout(CONNECT.min(settings.stall))
        .with_read_timeout(settings.stall)
        .with_timeout(settings.limit);
    let wanted = "an address and settings of a server";
    let failed = |e: object_store::Error| ObjectError { kind: Kind::Refused, ..ObjectError::of(wanted, &e) };
    if address.kind == Scheme::S3 {
        let builder = s3(settings, options).with_bucket_name(&address.place).with_retry(retry);
        return Ok(Arc::new(builder.build().map_err(failed)?));
    }
    // The client puts the path between the server and the query.
    let query = address.query.as_ref().map_or_else(String::new, |Secret(query)| format!("/?{query}"));
    let url = format!("{}://{}{query}", address.kind.scheme(), address.place);
    let options = options.with_allow_http(address.kind == Scheme::Http);
    let builder = HttpBuilder::new().with_url(url).with_client_options(options).with_retry(retry);
    Ok(Arc::new(builder.build().map_err(failed)?))
}

fn s3(settings: &Settings, options: ClientOptions) -> AmazonS3Builder {
    let mut builder = AmazonS3Builder::new().with_client_options(options);
    for (name, value) in settings.variables() {
        if let Ok(key) = name.to_ascii_lowercase().parse() {
            builder = builder.with_config(key, value);
        }
        // Who names a server without TLS wants it.
        if name.starts_with("AWS_ENDPOINT") && value.starts_with("http://") {
            builder = builder.with_allow_http(true);
        }
    }
    builder
}

/// The place of an object on its server.
pub(crate) fn path_of(address: &Address) -> Result<Path> {
    // An address of http may name letters by their numbers; a key of a bucket is as it is.
    let path = match address.kind {
        Scheme::S3 => Path::parse(&address.key),
        Scheme::Http | Scheme::Https => Path::from_url_path(&address.key),
    };
    path.map_err(|e| ObjectError::refused("the name of an object", e.to_string()))
}

/// Size and time of an object, without its bytes.
pub(crate) async fn head(client: &dyn ObjectStore, path: &Path) -> Result<ObjectMeta> {
    let options = GetOptions { head: true, ..GetOptions::default() };
    let found = client.get_opts(path, options).await;
    found.map(|found| found.meta).map_err(|e| ObjectError::of("an object", &e))
}

/// Size and time of an object, and its first `length` bytes or all: one answer, where two would be waited for one after the other. An address
/// that is signed for reading answers no other question.
pub(crate) async fn first(
    client: &dyn ObjectStore,
    path: &Path,
    length: u64,
    tries: usize,
) -> Result<(ObjectMeta, Bytes)> {
    let mut tries = tries.max(1);
    loop {
        tries -= 1;
        let range = Some(GetRange::Bounded(0..length));
        let found = match client.get_opts(path, GetOptions { range, ..GetOptions::default() }).await {
            Ok(found) => first_of(found, length).await,
            Err(error) => no_bytes(client, path, ObjectError::of("an object", &error)).await,
        };
        match found {
            Err(error) if tries > 0 && error.kind.may_pass() => {
                log::debug!("{path}: {error}; asked again");
            }
            outcome => return outcome,
        }
    }
}

/// An object without bytes has no first ones, and servers say so with status 416; else the error.
async fn no_bytes(client: &dyn ObjectStore, path: &Path, error: ObjectError) -> Result<(ObjectMeta, Bytes)> {
    let may_be_empty = error.kind == Kind::Failed && error.found.contains("416");
    let meta = if may_be_empty { head(client, path).await.ok() } else { None };
    meta.filter(|meta| meta.size == 0).map(|meta| (meta, Bytes::new())).ok_or(error)
}

async fn first_of(found: GetResult, length: u64) -> Result<(ObjectMeta, Bytes)> {
    let (meta, range) = (found.meta.clone(), found.range.clone());
    let end = length.min(meta.size);
    if range != (0..end) {
        let found = format!("the bytes {}..{}", range.start, range.end);
        return Err(ObjectError::new(Kind::Lie, format!("{end} bytes"), found));
    }
    Ok((meta, collected(found, end).await?))
}

/// The bytes of a range of an object, which is still the one that `meta` describes.
pub(crate) async fn range(
    client: &dyn ObjectStore,
    meta: &ObjectMeta,
    range: Range<u64>,
    tries: usize,
) -> Result<Bytes> {
    let mut tries = tries.max(1);
    loop {
        tries -= 1;
        match once(client, meta, range.clone()).await {
            Err(error) if tries > 0 && error.kind.may_pass() => {
                log::debug!("{}: {error}; asked again", meta.location);
            }
            outcome => return outcome.map_err(|error| error.at(range)),
        }
    }
}

async fn once(client: &dyn ObjectStore, meta: &ObjectMeta, range: Range<u64>) -> Result<Bytes> {
    let wanted = "an object";
    let options = GetOptions { range: Some(GetRange::Bounded(range.clone())), ..GetOptions::default() };
    let found = client.get_opts(&meta.location, options).await.map_err(|e| ObjectError::of(wanted, &e))?;
    if !is_same(meta, &found.meta) {
        let wanted = format!("the object as it was opened, {}", words_of(meta));
        return Err(ObjectError::new(Kind::Changed, wanted, words_of(&found.meta)));
    }
    let length = range.end - range.start;
    let lie = |found: String| Err(ObjectError::new(Kind::Lie, format!("{length} bytes"), found));
    if found.range != range {
        return lie(format!("the bytes {}..{}", found.range.start, found.range.end));
    }
    collected(found, length).await
}

/// All bytes of an answer, which must be so many. The length was bounded by whoever asks; the server has no part in it.
async fn collected(found: GetResult, length: u64) -> Result<Bytes> {
    let lie = |found: String| Err(ObjectError::new(Kind::Lie, format!("{length} bytes"), found));
    let mut bytes = BytesMut::with_capacity(length as usize);
    let mut stream = found.into_stream();
    while let Some(piece) = stream.next().await {
        let piece = piece.map_err(|e| ObjectError::of("an object", &e))?;
        if bytes.len() as u64 + piece.len() as u64 > length {
            return lie("more".to_owned());
        }
        bytes.extend_from_slice(&piece);
    }
    if (bytes.len() as u64) < length {
        return lie(format!("{} and the end of the answer", bytes.len()));
    }
    Ok(bytes.freeze())
}

/// Whether an answer is of the same state of the object: by its ETag, or, where the server gives none, by its time.
fn is_same(opened: &ObjectMeta, now: &ObjectMeta) -> bool {
    opened.size == now.size && opened.e_tag == now.e_tag && opened.last_modified == now.last_modified
}

fn words_of(meta: &ObjectMeta) -> String {
    let tag = meta.e_tag.as_deref().unwrap_or("none");
    format!("of {} bytes with the ETag {tag}, modified {}", meta.size, meta.last_modified)
}

/// The keys of the objects in a folder, without those in folders below.
pub(crate) async fn list(client: &dyn ObjectStore, folder: &Path) -> Result<Vec<String>> {
    let found = client.list_with_delimiter(Some(folder)).await;
    let found = found.map_err(|e| ObjectError::of("a list of objects", &e))?;
    Ok(found.objects.into_iter().map(|object| object.location.to_string()).collect())
}
