/** In place of the page when nobody said where the server is. */
export function NoServer() {
  return (
    <main className="page notice">
      <h1>There is no server yet</h1>
      <p>
        The page was started without the address of a Convex deployment. In the
        repository, run one of these instead:
      </p>
      <pre>
        <code>{`npm run demo   # Convex in memory, no account needed
npm run dev    # a real deployment`}</code>
      </pre>
    </main>
  );
}
