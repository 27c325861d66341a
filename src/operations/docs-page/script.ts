/**
 * The script of the page. It shows the OpenAPI document with Swagger UI, without the parts that our frame replaces: the
 * heading, the choice of a server, and the dialogue for the key.
 */
export const SCRIPT = `
const REPLACED = ['InfoContainer', 'ServersContainer', 'AuthorizeBtnContainer', 'authorizeOperationBtn'];

const byId = (id) => document.getElementById(id);
const nothing = () => () => null;

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function followColours() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', paint);
  paint();
}

/** Leaves out other paths of the same operations. The document for machines has them. */
function withoutAliases(document) {
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(Object.entries(operations).filter(([, operation]) => !('x-alias-of' in operation))),
  ]);
  return { ...document, paths: Object.fromEntries(paths.filter(([, operations]) => Object.keys(operations).length > 0)) };
}

function show(document) {
  return new Promise((resolve) => {
    const ui = SwaggerUIBundle({
      spec: { ...document, servers: [{ url: location.origin }] },
      dom_id: '#reference',
      deepLinking: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      validatorUrl: null,
      plugins: [{ wrapComponents: Object.fromEntries(REPLACED.map((name) => [name, nothing])) }],
      onComplete: () => resolve(ui),
    });
  });
}

function useKey(ui) {
  const field = byId('key');
  let isKnown = false;
  const use = () => {
    const key = field.value.trim();
    if (key !== '') ui.preauthorizeApiKey('bearer', key);
    else if (isKnown) ui.authActions.logout(['bearer']);
    isKnown = key !== '';
    byId('key-state').textContent = isKnown ? 'Sent with each request' : 'No key: answers are 401';
  };
  field.addEventListener('input', use);
  use();
}

function listOperations(document, ui) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  );
  for (const { name } of document.tags) {
    const items = operations.filter(({ tags }) => tags.includes(name)).map((one) => entry(name, one, ui));
    byId('contents').append(element('h2', { textContent: name }), element('ul', {}, ...items));
  }
}

function entry(tag, { operationId, method, path, summary }, ui) {
  const label = element('span', { className: 'method ' + method, textContent: method });
  const link = element('a', { href: '#/' + encodeURIComponent(tag) + '/' + operationId, title: path }, label, summary);
  link.addEventListener('click', () => {
    ui.layoutActions.show(['operations', tag, operationId], true);
    byId('operations-' + tag.replaceAll(' ', '_') + '-' + operationId)?.scrollIntoView();
  });
  return element('li', {}, link);
}

followColours();
try {
  const answer = await fetch('/openapi.json');
  if (!answer.ok) throw new Error('The answer is ' + answer.status);
  const document = withoutAliases(await answer.json());
  const { version, description, license } = document.info;
  byId('version').textContent = version;
  byId('description').textContent = description;
  byId('licence').textContent = 'Licence: ' + license.name;
  const ui = await show(document);
  useKey(ui);
  listOperations(document, ui);
} catch (error) {
  byId('reference').textContent = 'The document could not be shown. ' + error.message + '.';
}
`;
