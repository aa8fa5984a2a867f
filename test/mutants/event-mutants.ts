import type { Mutant } from "./mutant.ts";

const endpointTest = ["src/events/operations/event-endpoints.test.ts"];
const listTest = ["src/events/event-list.test.ts"];
const failingTest = ["src/events/failing-endpoints.test.ts"];
const requestTest = ["src/requests/requests.test.ts"];
const requests = "src/requests/read-requests.ts";

/** Faults in events, their endpoints and the request log. */
export const eventMutants: readonly Mutant[] = [
  {
    name: "a key sees the deliveries of all endpoints",
    file: "src/events/deliveries.ts",
    from: '.where("delivery.endpoint_id", "=", endpoint)\n    .where("delivery.number", "<=", places.last);',
    to: '.where("delivery.number", "<=", places.last);',
    tests: endpointTest,
  },
  {
    name: "a key reaches endpoints of the other mode",
    file: "src/events/endpoints.ts",
    from: '.where("audience", "=", owner.accountId).where("mode", "=", owner.mode)',
    to: '.where("audience", "=", owner.accountId)',
    tests: endpointTest,
  },
  {
    name: "a key lists endpoints of the other mode",
    file: "src/events/operations/listEventEndpoints.ts",
    from: ".filter((row) => row.mode === mode)",
    to: "",
    tests: endpointTest,
  },
  {
    name: "an endpoint for test gets live events",
    file: "src/storage/events/announce.ts",
    from: '...(mode === null ? [] : [row("endpoint.mode", "=", mode)]),',
    to: "",
    tests: ["src/events/deliver.test.ts"],
  },
  {
    name: "a test of a live endpoint goes over plain HTTP",
    file: "src/events/send-test.ts",
    from: 'allowsPlain: row.mode === "test"',
    to: "allowsPlain: true",
    tests: endpointTest,
  },
  {
    name: "a live event goes over plain HTTP",
    file: "src/events/deliver.ts",
    from: 'allowsPlain: endpoint.mode === "test"',
    to: "allowsPlain: true",
    tests: ["src/events/failing-endpoints.test.ts"],
  },
  {
    name: "the secret before signs for ever",
    file: "src/events/endpoints.ts",
    from: "(row.former_ends_at ?? 0) > now",
    to: "(row.former_ends_at ?? 0) >= 0",
    tests: ["src/events/deliver.test.ts"],
  },
  {
    name: "a name of which one address is private is called",
    file: "src/events/send-delivery.ts",
    from: "if (foreign.some(({ address }) => !isPublic(address)))",
    to: "if (foreign.length > 0 && foreign.every(({ address }) => !isPublic(address)))",
    tests: ["src/events/send-delivery.test.ts"],
  },
  {
    name: "dead events beyond the first 200 are not sent again",
    file: "src/events/deliveries.ts",
    from: ".limit(atOnce + 1)",
    to: ".limit(atOnce)",
    tests: ["src/events/failing-endpoints.test.ts"],
  },
  {
    name: "a reader who misses one event is not told",
    file: "src/events/event-places.ts",
    from: "from + 1 < (oldest ?? 1)",
    to: "from + 2 < (oldest ?? 1)",
    tests: listTest,
  },
  {
    name: "a place of another history is taken",
    file: "src/events/event-places.ts",
    from: "of !== history || from > last",
    to: "from > last",
    tests: listTest,
  },
  {
    name: "a test key lists live events",
    file: "src/events/event-list.ts",
    from: 'row("mode", "=", mode)',
    to: 'row("mode", "is not", null)',
    tests: listTest,
  },
  {
    name: "an endpoint that is gone takes the events of all others with it",
    file: "src/events/endpoints.ts",
    from: '.where("endpoint_id", "=", row.id)\n      .where("state", "=", "waiting")',
    to: '.where("state", "=", "waiting")',
    tests: failingTest,
  },
  {
    name: "an endpoint that is gone forgets what it took",
    file: "src/events/endpoints.ts",
    from: '.where("endpoint_id", "=", row.id)\n      .where("state", "=", "waiting")',
    to: '.where("endpoint_id", "=", row.id)',
    tests: failingTest,
  },
  {
    name: "an event that is sent again goes to all endpoints",
    file: "src/events/deliveries.ts",
    from: '.where("endpoint_id", "=", endpoint)\n        .where("number", "in", some)',
    to: '.where("number", "in", some)',
    tests: failingTest,
  },
  {
    name: "an event that nobody could take ends before the three days are over",
    file: "src/storage/events/announce.ts",
    from: "row.val(at + deliveryTime)",
    to: "row.val(at + deliveryTime / 2)",
    tests: ["src/events/deliver.test.ts"],
  },
  {
    name: "a key learns of requests of other accounts",
    file: requests,
    from: '.where("account_id", "=", accountId)\n    .where("mode", "=", mode)\n    .orderBy("written_at", "desc")',
    to: '.where("mode", "=", mode)\n    .orderBy("written_at", "desc")',
    tests: requestTest,
  },
  {
    name: "a key learns of requests of the other mode",
    file: requests,
    from: '.where("account_id", "=", accountId)\n    .where("mode", "=", mode)\n    .orderBy("written_at", "desc")',
    to: '.where("account_id", "=", accountId)\n    .orderBy("written_at", "desc")',
    tests: requestTest,
  },
  {
    name: "a key lists requests of other accounts",
    file: requests,
    from: 'selectAll().where("account_id", "=", accountId).where("mode", "=", mode);',
    to: 'selectAll().where("mode", "=", mode);',
    tests: requestTest,
  },
  {
    name: "a key lists requests of the other mode",
    file: requests,
    from: 'selectAll().where("account_id", "=", accountId).where("mode", "=", mode);',
    to: 'selectAll().where("account_id", "=", accountId);',
    tests: requestTest,
  },
];
