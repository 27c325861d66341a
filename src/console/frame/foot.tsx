/** Says from what the console was built. */
export function Foot() {
  return (
    <footer class="container-fluid small">
      Keyledger {BUILT_VERSION} · commit <code>{BUILT_FROM.slice(0, 12)}</code>
    </footer>
  );
}
