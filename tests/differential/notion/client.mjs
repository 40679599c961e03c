// Requests of the published client, each of which has to succeed. Arguments: the module of the client, and the address of
// the API. Prints the results that the test compares.

const [module, baseUrl] = process.argv.slice(2);
const { Client } = await import(module);
const client = new Client({ auth: "ntn_test", baseUrl });
const later = new Client({ auth: "ntn_test", baseUrl, notionVersion: "2026-03-11" });

const found = await client.search({ filter: { property: "object", value: "data_source" } });
const supplier = found.results.find((it) => it.title[0].plain_text === "Suppliers");
const source = await client.dataSources.retrieve({ data_source_id: supplier.id });
const database = await client.databases.retrieve({ database_id: source.parent.database_id });
const rows = await client.dataSources.query({ data_source_id: source.id, page_size: 1 });
const templates = await client.dataSources.listTemplates({ data_source_id: source.id });
const title = (text) => ({ title: [{ text: { content: text } }] });
const page = await client.pages.create({
  parent: { data_source_id: source.id },
  properties: { Name: title("Norvet") },
});
const made = await client.dataSources.create({
  parent: { type: "database_id", database_id: database.id },
  title: title("Former suppliers").title,
  properties: { Name: { title: {} } },
});
await client.dataSources.update({
  data_source_id: made.id,
  properties: { Until: { date: {} } },
});
const moved = await client.pages.move({ page_id: page.id, parent: { data_source_id: made.id } });
const comment = await client.comments.create({
  parent: { page_id: page.id },
  rich_text: title("Seen").title,
});
const updated = await later.pages.updateMarkdown({
  page_id: page.id,
  type: "replace_content",
  replace_content: { new_str: "# Notes\n- one" },
});
const read = await later.pages.retrieveMarkdown({ page_id: page.id });
const sources = await later.databases.retrieve({ database_id: database.id });

console.log(
  JSON.stringify({
    names: sources.data_sources.map((it) => it.name),
    archived: "archived" in sources,
    properties: "properties" in database,
    row: rows.results[0].parent.data_source_id === source.id,
    templates: templates.templates,
    moved: moved.parent.data_source_id === made.id,
    comment: comment.object,
    markdown: [updated.markdown, read.markdown],
  }),
);
