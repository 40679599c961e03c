//! The filesystem service, for which any directory is a world.

use std::sync::Arc;

use mcpmark_filesystem::Filesystem;
use mcpmark_service::Service;
use mcpmark_task::scaffold::Scaffold;

use crate::{ServiceKind, WorldGuests};

#[derive(Debug, Clone, Copy)]
pub(crate) struct FilesystemKind;

impl ServiceKind for FilesystemKind {
    fn name(&self) -> &'static str {
        Filesystem.name()
    }

    fn service(&self, _guests: &WorldGuests) -> Option<Arc<dyn Service>> {
        Some(Arc::new(Filesystem))
    }

    fn takes_any_directory(&self) -> bool {
        true
    }

    fn scaffold(&self) -> Option<&'static Scaffold> {
        Some(&Scaffold::DIRECTORY)
    }
}
