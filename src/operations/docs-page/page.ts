/** The HTML of the page at `/docs`: a frame that the script fills with the operations of the OpenAPI document. */
export const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Keyledger API</title>
    <link rel="icon" href="/docs/mark.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/page.css">
  </head>
  <body>
    <header class="bar">
      <a class="brand" href="/docs"><img src="/docs/mark.svg" alt="" width="28" height="28">Keyledger</a>
      <div class="key">
        <label for="key">Key</label>
        <input id="key" type="password" placeholder="mk-v1-…" autocomplete="off" spellcheck="false">
        <span id="key-state" role="status"></span>
      </div>
      <nav class="formats" aria-label="The document for machines">
        <a href="/openapi.json">JSON</a>
        <a href="/openapi.yaml">YAML</a>
      </nav>
    </header>
    <div class="frame">
      <nav id="contents" aria-label="Operations"></nav>
      <main>
        <section class="intro">
          <h1>Keyledger API <span id="version"></span></h1>
          <p id="description"></p>
          <p>
            Put a management key into the field above, open an operation and send it. The key stays in this page and is
            gone when you leave it. Requests are real: they change what this service keeps.
          </p>
          <noscript><p>This page needs scripts. The same interface for machines: JSON and YAML, above.</p></noscript>
        </section>
        <div id="reference"></div>
        <footer id="licence"></footer>
      </main>
    </div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script type="module" src="/docs/page.js"></script>
  </body>
</html>
`;

/** The logo as SVG: a key on a page of a ledger. */
export const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="7" fill="#0c6b55"/>
  <path d="M6 9.5h5M6 16h2.5M6 22.5h5" stroke="#8fd6c0" stroke-width="2" stroke-linecap="round"/>
  <circle cx="16" cy="16" r="4.5" fill="none" stroke="#fff" stroke-width="2.5"/>
  <path d="M20.5 16H28M24.5 16v4" stroke="#fff" stroke-width="2.5" stroke-linecap="round" fill="none"/>
</svg>
`;
