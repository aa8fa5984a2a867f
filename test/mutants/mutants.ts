/** A bug that was put into the code by hand, and the tests that must fail for it. */
export interface Mutant {
  /** What is wrong then. */
  name: string;
  file: string;
  /** Text that the file has once. */
  from: string;
  to: string;
  tests: readonly string[];
}

const journal = "src/identity/ledger/journal";
const followTest = [`${journal}/follow-journal.test.ts`];
const eventTest = [`${journal}/settled-events.test.ts`];
const rebuildTest = [`${journal}/recounted-sums.test.ts`];
const invoiceTest = ["src/identity/books/settle-unknowns.test.ts"];
const sumTest = [`${journal}/verification-sums.test.ts`];
const adjustTest = ["src/identity/books/adjust.test.ts"];
const follower = `${journal}/follow-journal.ts`;
const sums = `${journal}/verification-sums.ts`;

export const mutants: readonly Mutant[] = [
  {
    name: "two operators end one attempt twice by an invoice",
    file: "src/identity/ledger/settle.ts",
    from: ".$if(!isSqlite(trx), (query) => query.forUpdate())",
    to: "",
    tests: ["src/identity/books/ended-attempts.test.ts"],
  },
  {
    name: "a note covers a charge that the store did not answer",
    file: "src/identity/ledger/charges.ts",
    from: "Math.min(this.#now(), ...this.#unheard.values()) - 1",
    to: "this.#now()",
    tests: ["src/identity/verification/unheard-charges.test.ts"],
  },
  {
    name: "two corrections at once give back more than the charge",
    file: "src/identity/books/adjust.ts",
    from: ".$if(!isSqlite(trx), (query) => query.forUpdate())",
    to: "",
    tests: adjustTest,
  },
  {
    name: "a charge is taken back although a correction gave it back",
    file: "src/identity/ledger/charges.ts",
    from: "Math.min(waived.fee, waived.fee + corrected)",
    to: "waived.fee",
    tests: adjustTest,
  },
  {
    name: "a charge is told although nothing told of the verification",
    file: follower,
    from: 'if (what === "charge" && !(await wasAnnounced(trx, reference))) return;',
    to: "",
    tests: eventTest,
  },
  {
    name: "a charge that is taken back is not told",
    file: follower,
    from: 'if (what === "charge" || what === "reversal") {',
    to: 'if (what === "charge") {',
    tests: eventTest,
  },
  {
    name: "an outcome is told to callers who knew it",
    file: follower,
    from: "row.told_unknown === 1 &&",
    to: "",
    tests: eventTest,
  },
  {
    name: "the rows of a verification come in any order",
    file: follower,
    from: '.whereRef("earlier.number", "<", "journal.number")',
    to: '.whereRef("earlier.number", "<", "journal.run")',
    tests: followTest,
  },
  {
    name: "a late charge is not in the sums",
    file: sums,
    from: 'return what === "charge" || (what',
    to: "return (what",
    tests: sumTest,
  },
  {
    name: "a charge that is taken back stays in the sums",
    file: sums,
    from: 'if (what === "reversal") return -1;',
    to: "",
    tests: sumTest,
  },
  {
    name: "an attempt that nothing can change counts again",
    file: sums,
    from: ' && was !== "closed"',
    to: "",
    tests: sumTest,
  },
  {
    name: "an attempt whose outcome changes counts under both",
    file: sums,
    from: "if (was !== null)",
    to: 'if (was === "never")',
    tests: sumTest,
  },
  {
    name: "sums that are made anew hold what waits in the journal",
    file: `${journal}/recounted-sums.ts`,
    from: "followInSums(sums, await waitingRows(db), -1);",
    to: "",
    tests: rebuildTest,
  },
  {
    name: "two who make sums anew both add",
    file: `${journal}/rebuild-sums.ts`,
    from: "if (!(await countRebuild(trx, rebuilds))) return false;",
    to: "",
    tests: rebuildTest,
  },
  {
    name: "an attempt that was never sent stays in the sums, and leaves the ledger",
    file: "src/identity/ledger/attempts.ts",
    from: "notSent: notSent && !isKnown,",
    to: "notSent,",
    tests: rebuildTest,
  },
  {
    name: "a price that comes later adds what is in the sums already",
    file: "src/identity/books/price-attempts.ts",
    from: "[was, -1],",
    to: "",
    tests: rebuildTest,
  },
  {
    name: "the sums of a day are those of a day in UTC",
    file: sums,
    from: "this.#zone.startOfDay(this.#zone.dayOf(at))",
    to: "at - (at % 86_400_000)",
    tests: sumTest,
  },
  {
    name: "half of the connections is not kept for other accounts",
    file: "src/storage/queries/connection-shares.ts",
    from: "connections / 2",
    to: "connections",
    tests: ["src/identity/ledger/held-rows.test.ts"],
  },
  {
    name: "an endpoint that is off is sent events",
    file: "src/storage/events/announce.ts",
    from: 'row("endpoint.off_since", "is", null),',
    to: "",
    tests: ["src/events/failing-endpoints.test.ts"],
  },
  {
    name: "a peer's wait because of one person pauses the peer",
    file: "src/upstreams/circuit-breaker.ts",
    from: 'word === "out_of_service" ? 0 :',
    to: "",
    tests: ["src/upstreams/circuit-breaker-wait.test.ts"],
  },
  {
    name: "a request that waits for a connection gets that of another",
    file: "src/runtime/network/http-client.ts",
    from: "request.shouldKeepAlive = this.#keepAlive;",
    to: "",
    tests: ["src/upstreams/vendor-client.test.ts"],
  },
  {
    name: "a server that closes waits for callers who keep their connections",
    file: "src/http/shell/open-server.ts",
    from: "setInterval(() => server.closeIdleConnections(), lookForIdle)",
    to: "setInterval(() => {}, lookForIdle)",
    tests: ["src/http/shell/open-server.test.ts"],
  },
  {
    name: "an earlier response of korapay that cannot be read is bought again",
    file: "src/upstreams/vendors/korapay/index.ts",
    from: "countsAgainstVendor(outcome) ? outcome : undefined",
    to: "undefined",
    tests: ["src/upstreams/vendors/korapay/korapay.test.ts"],
  },
  {
    name: "a line of an invoice with our own reference is that of nobody",
    file: "src/identity/books/match-invoice.ts",
    from: "{ name: attempt.reference, attempt },",
    to: "",
    tests: ["src/identity/books/match-invoice.test.ts"],
  },
  {
    name: 'a retry after "not found" goes to any vendor',
    file: "src/identity/verification/attempts/decide-route.ts",
    from: "({ name }) => at >= 0 &&",
    to: "({ name }) => at < -1 &&",
    tests: ["src/identity/verification/attempts/second-source.test.ts"],
  },
  {
    name: 'a third vendor is asked after "not found"',
    file: "src/identity/verification/attempts/run-attempts.ts",
    from: 'if (follows === "second_source") break;',
    to: "",
    tests: ["src/identity/verification/attempts/second-source.test.ts"],
  },
  {
    name: 'a second source that does no work takes "not found" back',
    file: "src/identity/ledger/write-outcome.ts",
    from: 'return state === "failed" && !isAwaited && attempts.some(isNotFound);',
    to: "return attempts.length < 0 && isAwaited && attempts.some(isNotFound);",
    tests: ["src/identity/verification/attempts/second-source.test.ts"],
  },
  {
    name: "a vendor takes a place by chance",
    file: "src/identity/routes/order-vendors.ts",
    from: "const margin = 1.03;",
    to: "const margin = 1;",
    tests: ["src/identity/routes/order-vendors.test.ts"],
  },
  {
    name: "two leaders decide the order at once",
    file: "src/identity/routes/decide-vendor-order.ts",
    from: "if (!isDecisionDue(before, at)) return;",
    to: "",
    tests: ["src/identity/routes/decide-vendor-order.test.ts"],
  },
  {
    name: "a line with a price is that of an attempt that was not sent",
    file: "src/identity/books/match-invoice.ts",
    from: "if ((attempt.price === 0) !== (price === 0)) return costsNothing;",
    to: "",
    tests: ["src/identity/books/match-invoice.test.ts"],
  },
  {
    name: "an attempt counts twice once its outcome is known",
    file: sums,
    from: "if (was !== null) add(",
    to: "if (was === undefined) add(",
    tests: rebuildTest,
  },
  {
    name: "a line that may be of two verifications ends one of them",
    file: "src/identity/books/settle-unknowns.ts",
    from: 'if (ambiguous.has(row.reference)) return left("ambiguous");',
    to: "",
    tests: invoiceTest,
  },
  {
    name: "what another invoice may list is released",
    file: "src/identity/books/settle-unknowns.ts",
    from: 'if (!open.every(isCovered)) return left("not_covered");',
    to: "",
    tests: invoiceTest,
  },
  {
    name: "a form that somebody typed is shown to another person",
    file: "src/console/routes/form-routes.ts",
    from: 'if (form.get("_person") !== visit.session.person.id) return redirect(pathOf(command));',
    to: "",
    tests: ["src/console/attacks.test.ts"],
  },
  {
    name: "the page to sign in repeats what is private",
    file: "src/console/view/command-form.ts",
    from: 'member.private || member.pasted || member.holds === "file" ? [] : [name],',
    to: "member.pasted ? [] : [name],",
    tests: ["src/console/attacks.test.ts"],
  },
  {
    name: "a reset after CONNECT ends the process",
    file: "src/http/shell/unparsed.ts",
    from: 'socket.on("error", () => socket.destroy());',
    to: "",
    tests: ["test/raw-requests.test.ts"],
  },
  {
    name: "a request that nobody can be answered is served",
    file: "src/http/shell/pipelined-requests.ts",
    from: "if (!this.#lastOn(socket)!.shouldKeepAlive) return;",
    to: "",
    tests: ["src/http/shell/last-words.test.ts"],
  },
];
