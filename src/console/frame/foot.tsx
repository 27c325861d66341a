/** Says from what the console was built. */
export function Foot() {
  return (
    <footer class="container-fluid">
      <small class="none">
        Keyledger {BUILT_VERSION} · commit {BUILT_FROM.slice(0, 12)}
      </small>
    </footer>
  );
}
