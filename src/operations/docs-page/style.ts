/**
 * The style of the page. Swagger UI has a light and a dark style of its own. The selectors `#reference` and `html` make
 * these rules override the styles of Swagger UI.
 */
export const STYLE = `
:root {
  --paper: #f7f6f2; --sheet: #ffffff; --sunk: #f1f0ea; --line: #dedcd2; --ink: #1d2521; --faint: #5d6862;
  --accent: #0c6b55; --on-accent: #ffffff; --get: #1f5fa8; --post: #0c6b55; --patch: #8a5a00; --delete: #b3261e;
  --code: #161d1a;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', sans-serif;
  --mono: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #101513; --sheet: #171d1a; --sunk: #1e2622; --line: #2e3833; --ink: #e4e9e6; --faint: #9aa69f;
    --accent: #5fd0ae; --on-accent: #06231a; --get: #82b7f2; --post: #5fd0ae; --patch: #e5b45a; --delete: #f2938c; --code: #0c110f;
  }
}
* { box-sizing: border-box; }
html { color-scheme: light dark; scroll-padding-top: 4.5rem; }
html body, html.dark-mode, html.dark-mode body {
  margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.55 var(--sans);
}
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }

.bar {
  position: sticky; top: 0; z-index: 10; display: flex; align-items: center; gap: 1.5rem; height: 3.75rem;
  padding: 0 1.5rem; background: var(--sheet); border-bottom: 1px solid var(--line);
}
.brand { display: flex; align-items: center; gap: .6rem; color: var(--ink); font-weight: 650; font-size: 1.1rem; text-decoration: none; }
.key { display: flex; flex: 1; align-items: center; justify-content: flex-end; gap: .6rem; min-width: 0; }
.key label, #key-state { color: var(--faint); font-size: .85rem; white-space: nowrap; }
.key input {
  width: 20rem; min-width: 0; padding: .4rem .7rem; border: 1px solid var(--line); border-radius: 6px;
  background: var(--sunk); color: var(--ink); font: .85rem var(--mono);
}
.formats { display: flex; gap: 1rem; font-size: .85rem; }

.frame { display: flex; max-width: 82rem; margin: 0 auto; }
#contents {
  position: sticky; top: 3.75rem; flex: 0 0 19rem; height: calc(100vh - 3.75rem); overflow-y: auto; padding: 1.25rem 1rem 2rem 1.5rem;
  border-right: 1px solid var(--line); font-size: .85rem;
}
#contents h2 { margin: 1.25rem 0 .4rem; color: var(--faint); font-size: .72rem; font-weight: 650; letter-spacing: .08em; text-transform: uppercase; }
#contents h2:first-child { margin-top: 0; }
#contents ul { margin: 0; padding: 0; list-style: none; }
#contents a { display: flex; gap: .6rem; padding: .25rem .4rem; border-radius: 5px; color: var(--ink); text-decoration: none; }
#contents a:hover { background: var(--sunk); }
.method { flex: 0 0 3.1rem; font: 600 .7rem/1.9 var(--mono); text-transform: uppercase; }
.method.get { color: var(--get); }
.method.post { color: var(--post); }
.method.patch, .method.put { color: var(--patch); }
.method.delete { color: var(--delete); }

.frame > main { flex: 1; min-width: 0; padding: 2rem 2rem 4rem; }
.intro h1 { margin: 0 0 .3rem; font-size: 1.9rem; font-weight: 680; letter-spacing: -.01em; line-height: 1.2; }
#version { margin-left: .4rem; padding: .15rem .5rem; border: 1px solid var(--line); border-radius: 99px; color: var(--faint); font: .8rem var(--mono); vertical-align: middle; }
.intro p { max-width: 44rem; margin: .6rem 0; color: var(--faint); }
#description { color: var(--ink); font-size: 1.05rem; }
#licence { margin-top: 2.5rem; color: var(--faint); font-size: .8rem; }

#reference .swagger-ui, #reference .swagger-ui :is(
  p, li, h3, h4, h5, label, table, th, td, .opblock-summary-description, .opblock-description-wrapper,
  .opblock-external-docs-wrapper, .opblock-title_normal, .response-col_status, .response-col_links, .tab li,
  .parameter__name, .parameter__type, .parameter__in, .model, .model-title, .prop-format, .json-schema-2020-12__title,
  .json-schema-2020-12-keyword, .json-schema-2020-12-keyword__name, .json-schema-2020-12-property, .btn, select, input
) { color: var(--ink); font-family: var(--sans); }
#reference .swagger-ui, #reference .swagger-ui .wrapper { background: none; }
#reference .swagger-ui :is(.wrapper, .block) { max-width: none; padding: 0; }
#reference .swagger-ui :is(.information-container, .scheme-container, .try-out) { display: none; }
#reference .swagger-ui :is(.parameter__type, .parameter__in, .prop-format, .response-col_links, .opblock-tag small, .opblock-tag small p) { color: var(--faint); }
#reference .swagger-ui :is(.parameter__name, .opblock-summary-path, .opblock-summary-path a, .opblock-summary-path span, .response-col_status) { font-family: var(--mono); color: var(--ink); }

#reference .swagger-ui .opblock-tag { margin: 1.5rem 0 .6rem; padding: .5rem 0; border-bottom: 1px solid var(--line); font: 650 1.2rem var(--sans); color: var(--ink); }
#reference .swagger-ui .opblock-tag:hover { background: none; }
#reference .swagger-ui .opblock-tag small { font-size: .9rem; font-weight: 400; }
#reference .swagger-ui .opblock {
  --tone: var(--faint); margin: 0 0 .6rem; border: 1px solid var(--line); border-radius: 8px; background: var(--sheet); box-shadow: none;
}
#reference .swagger-ui .opblock.opblock-get { --tone: var(--get); }
#reference .swagger-ui .opblock.opblock-post { --tone: var(--post); }
#reference .swagger-ui .opblock.opblock-patch { --tone: var(--patch); }
#reference .swagger-ui .opblock.opblock-delete { --tone: var(--delete); }
#reference .swagger-ui .opblock.is-open { border-color: var(--tone); }
#reference .swagger-ui .opblock .opblock-summary { border: 0; padding: .35rem .6rem; }
#reference .swagger-ui .opblock.is-open .opblock-summary { border-bottom: 1px solid var(--line); }
#reference .swagger-ui .opblock .opblock-summary-method {
  min-width: 4.4rem; padding: .3rem 0; border-radius: 5px; background: none; color: var(--tone); font: 650 .78rem var(--mono); text-shadow: none;
}
#reference .swagger-ui .opblock .opblock-summary-path { font-size: .88rem; font-weight: 600; }
#reference .swagger-ui .opblock .opblock-summary-description { font-size: .85rem; color: var(--faint); text-align: right; }
#reference .swagger-ui .opblock .opblock-section-header { background: var(--sunk); box-shadow: none; min-height: 2.6rem; padding: .4rem 1.2rem; }
#reference .swagger-ui .opblock .opblock-section-header h4 { font: 600 .88rem var(--sans); }
#reference .swagger-ui .opblock .tab-header .tab-item.active h4 span::after { background: var(--tone); }
#reference .swagger-ui table thead tr :is(td, th) { border-bottom: 1px solid var(--line); color: var(--faint); font-size: .78rem; }
#reference .swagger-ui .parameter__name.required, #reference .swagger-ui .parameter__name.required::after, #reference .swagger-ui .parameter__name.required span { color: var(--delete); }

#reference .swagger-ui :is(input[type], textarea, select) {
  border: 1px solid var(--line); border-radius: 6px; background-color: var(--sunk); color: var(--ink); box-shadow: none; font: 400 .82rem var(--mono);
}
#reference .swagger-ui .btn { border: 1px solid var(--line); border-radius: 6px; background: var(--sheet); box-shadow: none; }
#reference .swagger-ui .btn.execute { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
#reference .swagger-ui .btn.cancel, #reference .swagger-ui .btn.try-out__btn { color: var(--faint); border-color: var(--line); }
#reference .swagger-ui .execute-wrapper { padding: 1rem 1.2rem; text-align: left; }
#reference .swagger-ui .execute-wrapper .btn { width: auto; padding: .5rem 2.2rem; }
#reference .swagger-ui .btn-group { padding: 1rem 1.2rem; }
#reference .swagger-ui .btn-group .btn { flex: 0 0 auto; padding: .5rem 2.2rem; }

#reference .swagger-ui :is(.highlight-code pre, .microlight, .curl, pre.example, pre.version, .renderedMarkdown pre) {
  border: 1px solid var(--line); border-radius: 6px; background: var(--code) !important; color: #dfe7e2; font: 400 .8rem/1.55 var(--mono);
}
#reference .swagger-ui :is(.download-contents, .copy-to-clipboard) { border-radius: 5px; background-color: #3a4641; }
#reference .swagger-ui :is(.markdown code, .renderedMarkdown code) { background: var(--sunk); color: var(--ink); font-family: var(--mono); }
#reference .swagger-ui .responses-inner { padding: 1rem 1.2rem; }
#reference .swagger-ui .response-control-media-type__accept-message { color: var(--accent); }
#reference .swagger-ui .response-control-media-type--accept-controller select { border-color: var(--accent); }
#reference .swagger-ui section.models { border: 1px solid var(--line); border-radius: 8px; background: var(--sheet); }
#reference .swagger-ui section.models.is-open h4 { border-bottom: 1px solid var(--line); }
#reference .swagger-ui section.models :is(.model-container, .model-box), #reference .swagger-ui .model-box { background: var(--sunk); }
#reference .swagger-ui :is(.models .json-schema-2020-12, .json-schema-2020-12-body) { background: var(--sunk); }
#reference .swagger-ui .json-schema-2020-12__attribute--primary { color: var(--accent); }
#reference .swagger-ui .tab li button.tablinks { color: inherit; font-family: var(--sans); }

@media (max-width: 60rem) {
  #contents { display: none; }
  .frame > main { padding: 1.25rem 1rem 3rem; }
  .bar { gap: .8rem; padding: 0 1rem; }
  #key-state, .formats { display: none; }
}
@media (max-width: 34rem) { .key label { display: none; } }
`;
