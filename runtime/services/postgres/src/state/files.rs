//! Destinations and sources of states.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};

use mcpmark_snapshot::{
    Batch, Blobs, File, Snapshot, Store, StoreError, Tree, TreeBuilder, TreePath,
};

/// Files of a state in memory, by path.
pub type Files = BTreeMap<TreePath, Vec<u8>>;

/// Destination of the files of a state.
pub trait Sink: Send {
    /// Adds a file. Each path occurs once.
    ///
    /// # Errors
    ///
    /// Returns the error of reading or writing the content.
    fn put(&mut self, path: &TreePath, content: &mut dyn Read) -> io::Result<()>;

    /// Checks that a file of at least this many bytes can be added. A dump calls it while it reads a file, before it
    /// keeps the bytes anywhere.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is too large.
    fn check(&mut self, _bytes: u64) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Files {
    fn put(&mut self, path: &TreePath, content: &mut dyn Read) -> io::Result<()> {
        let mut bytes = Vec::new();
        content.read_to_end(&mut bytes)?;
        self.insert(path.clone(), bytes);
        Ok(())
    }
}

/// Destination in a store. Only one small part of a file is in memory at a time.
#[derive(Debug)]
pub struct StoreSink {
    batch: Batch,
    builder: TreeBuilder,
}

impl StoreSink {
    /// Creates a sink that adds files to a new tree in `store`.
    #[must_use]
    pub fn new(store: &Store) -> Self {
        Self {
            batch: store.batch(),
            builder: TreeBuilder::new(),
        }
    }

    /// Makes the files durable, stores their tree, and returns it.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be written.
    pub fn finish(mut self) -> Result<Tree, StoreError> {
        let tree = self.builder.finish();
        self.batch.put_tree(&tree)?;
        self.batch.commit()?;
        Ok(tree)
    }
}

impl Sink for StoreSink {
    fn put(&mut self, path: &TreePath, content: &mut dyn Read) -> io::Result<()> {
        let (content, size) = self.batch.put_reader(content).map_err(io::Error::other)?;
        let file = File {
            size,
            executable: false,
            modified: None,
            content,
        };
        self.builder
            .insert_file(path, file)
            .map_err(io::Error::other)
    }
}

/// Source of the files of a state.
pub trait Source: Send + Sync {
    /// Returns the paths of all files, sorted.
    fn paths(&self) -> Vec<TreePath>;

    /// Returns the content of a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not exist or cannot be read.
    fn open(&self, path: &TreePath) -> io::Result<Box<dyn Read + Send + '_>>;
}

impl Source for Files {
    fn paths(&self) -> Vec<TreePath> {
        self.keys().cloned().collect()
    }

    fn open(&self, path: &TreePath) -> io::Result<Box<dyn Read + Send + '_>> {
        match self.get(path) {
            Some(bytes) => Ok(Box::new(bytes.as_slice())),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

impl Source for Snapshot {
    fn paths(&self) -> Vec<TreePath> {
        TreeFiles::new(&self.tree, &*self.blobs).paths()
    }

    fn open(&self, path: &TreePath) -> io::Result<Box<dyn Read + Send + '_>> {
        open(&self.tree, &*self.blobs, path)
    }
}

/// Files of a tree whose bytes are elsewhere.
#[derive(Clone, Copy)]
pub struct TreeFiles<'a> {
    tree: &'a Tree,
    blobs: &'a dyn Blobs,
}

impl<'a> TreeFiles<'a> {
    /// Combines a tree with the source of its bytes.
    #[must_use]
    pub fn new(tree: &'a Tree, blobs: &'a dyn Blobs) -> Self {
        Self { tree, blobs }
    }
}

impl Source for TreeFiles<'_> {
    fn paths(&self) -> Vec<TreePath> {
        self.tree.files().map(|(path, _)| path).collect()
    }

    fn open(&self, path: &TreePath) -> io::Result<Box<dyn Read + Send + '_>> {
        open(self.tree, self.blobs, path)
    }
}

fn open(tree: &Tree, blobs: &dyn Blobs, path: &TreePath) -> io::Result<Box<dyn Read + Send>> {
    let file = tree.get(path).and_then(|node| node.as_file());
    let Some(file) = file else {
        return Err(io::ErrorKind::NotFound.into());
    };
    match blobs.open(&file.content)? {
        Some(file) => Ok(Box::new(file)),
        None => Ok(Box::new(Cursor::new(blobs.read(&file.content)?))),
    }
}
