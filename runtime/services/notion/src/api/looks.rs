//! Texts, icons and covers of the bodies of requests, which pages and databases share.

use super::apply;
use crate::input::{self, Field};
use crate::model::{Database, FileSource, Icon, Page, RichText, Workspace};
use crate::refusal::Outcome;

/// Icon and cover of a request. The outer `None` means that the request does not change it, the inner one that it is
/// removed.
pub(super) struct Looks {
    icon: Option<Option<Icon>>,
    cover: Option<Option<FileSource>>,
}

impl Looks {
    /// Parses the icon and cover of a body.
    pub(super) fn parse(body: &Field<'_>) -> Outcome<Self> {
        let icon = body.get("icon").present();
        let cover = body.get("cover").present();
        Ok(Self {
            icon: icon.map(|icon| input::icon(&icon)).transpose()?,
            cover: cover.map(|cover| input::cover(&cover)).transpose()?,
        })
    }

    /// Sets the icon and cover of a page.
    pub(super) fn set_page(self, page: &mut Page) {
        self.set(&mut page.icon, &mut page.cover);
    }

    /// Sets the icon and cover of a database.
    pub(super) fn set_database(self, database: &mut Database) {
        self.set(&mut database.icon, &mut database.cover);
    }

    fn set(self, icon: &mut Option<Icon>, cover: &mut Option<FileSource>) {
        if let Some(new) = self.icon {
            *icon = new;
        }
        if let Some(new) = self.cover {
            *cover = new;
        }
    }
}

/// Parses the rich text under a key, if there is one.
pub(super) fn text(body: &Field<'_>, key: &str) -> Outcome<Option<Vec<RichText>>> {
    let text = body.get(key).present();
    text.map(|text| input::rich_text(&text)).transpose()
}

/// Checks what texts mention.
pub(super) fn check_texts<'a>(
    workspace: &Workspace,
    texts: impl IntoIterator<Item = &'a Vec<RichText>>,
) -> Outcome<()> {
    let mut texts = texts.into_iter();
    texts.try_for_each(|text| apply::check_mentions(workspace, text))
}
