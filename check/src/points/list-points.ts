import {
  fetchDataProviders,
  fetchTvAddOns,
  listCorporateBundles,
  lookupDataBundles,
  type Operation,
} from "../document.ts";
import { itemsOf, refusalProblems, successProblems, unless } from "../judge-response.ts";
import type { Point } from "../point.ts";
import type { CheckSession } from "../session.ts";
import { shapeErrors } from "../shape-errors.ts";

/** A code that no catalogue has. */
export const noCode = "NOSUCHCODE";

const documentedCodes = (listCorporateBundles.answered as { data: { code: string }[] }).data.map(({ code }) => code);

/** The rules of the interface document about the entries of the lists. */
export const listPoints: readonly Point[] = [
  of(lookupDataBundles, {
    name: "provider",
    sentence: "With `provider` it lists bundles of that provider only, and at least one.",
    check: async (session) => {
      const bundles = await itemsOf(session, lookupDataBundles);
      const provider = session.value("provider");
      return [
        ...unless(bundles.length > 0, `There are no bundles of ${provider}. Name another provider with --provider.`),
        ...unless(
          bundles.every(({ type }) => type === provider),
          "A bundle has another `type` than the provider that was asked for.",
        ),
      ];
    },
  }),
  once(lookupDataBundles, "code"),
  of(lookupDataBundles, {
    name: "unknown-provider",
    sentence: "A provider that does not exist is refused, with `success` false.",
    check: async (session) => refusalProblems(await session.call(lookupDataBundles, { members: { provider: noCode } })),
  }),
  ...[lookupDataBundles, listCorporateBundles, fetchDataProviders].map((operation) =>
    of(operation, {
      name: "json-type-without-body",
      sentence: "A GET with `Content-Type: application/json` and no body is served, as clients send it.",
      check: async (session) =>
        successProblems(await session.call(operation, { headers: { "Content-Type": "application/json" } })),
    }),
  ),
  of(listCorporateBundles, {
    name: "code-form",
    sentence: "Each `code` has the form corporate_data_<size><unit>, the unit in lower case.",
    check: async (session) => {
      const bundles = await itemsOf(session, listCorporateBundles);
      return unless(
        bundles.every(({ code }) => typeof code !== "string" || /^corporate_data_\d+(\.\d+)?[a-z]+$/.test(code)),
        "A code has another form.",
      );
    },
  }),
  of(listCorporateBundles, {
    name: "sizes",
    sentence: `It lists the ${documentedCodes.length} documented sizes in their order.`,
    check: async (session) => {
      const codes = (await itemsOf(session, listCorporateBundles)).map(({ code }) => String(code).toLowerCase());
      const missing = documentedCodes.filter((code) => !codes.includes(code));
      if (missing.length > 0) return [`These codes are missing: ${missing.join(", ")}.`];
      return unless(codes.join() === documentedCodes.join(), "The list has other codes as well, or another order.");
    },
  }),
  of(fetchDataProviders, {
    name: "ids",
    sentence: "It lists four providers with the ids 1 to 4, in this order.",
    check: async (session) => {
      const ids = (await itemsOf(session, fetchDataProviders)).map(({ id }) => String(id));
      return unless(ids.join() === "1,2,3,4", `It lists ${ids.length} providers, or other ids.`);
    },
  }),
  of(fetchDataProviders, {
    name: "bundles",
    sentence: "The bundles of every provider that it lists are well-formed, of that provider only, and listed once.",
    check: async (session) => {
      const providers = (await itemsOf(session, fetchDataProviders)).map(({ type }) => String(type));
      // Other points report the problems that the bundles of the check's own provider have.
      const told = await bundleProblems(session, session.value("provider"));
      const found: string[] = [];
      for (const provider of providers) {
        const problems = (await bundleProblems(session, provider)).filter((problem) => !told.includes(problem));
        found.push(...problems.map((problem) => `${provider}: ${problem}`));
      }
      return found;
    },
  }),
  of(fetchDataProviders, {
    name: "names",
    sentence: "Each `type` is the `name` and DATA, and each `narration` the `name` and Data.",
    check: async (session) => {
      const providers = await itemsOf(session, fetchDataProviders);
      return [
        ...unless(
          providers.every(({ type, name }) => type === `${name}DATA`),
          "A `type` is not the `name` and DATA.",
        ),
        ...unless(
          providers.every(({ narration, name }) => narration === `${name} Data`),
          "A `narration` is not the `name` and Data.",
        ),
      ];
    },
  }),
  of(fetchDataProviders, {
    name: "images",
    sentence: 'Each `image` is "".',
    check: async (session) =>
      unless(
        (await itemsOf(session, fetchDataProviders)).every(({ image }) => image === "" || typeof image !== "string"),
        "An `image` is not empty.",
      ),
  }),
  of(fetchTvAddOns, {
    name: "codes",
    sentence: "It lists add-ons of the requested product only: `type` and `product_code` are those of the request.",
    check: async (session) => {
      const addOns = await itemsOf(session, fetchTvAddOns);
      const [type, product] = [session.value("type"), session.value("productCode")];
      return [
        ...unless(addOns.length > 0, `There are no add-ons of ${product}. Name another product with --product.`),
        ...unless(
          addOns.every((addOn) => addOn.type === type),
          "A `type` is not that of the request.",
        ),
        ...unless(
          addOns.every((addOn) => addOn.product_code === product),
          "A `product_code` is not the `productCode` of the request.",
        ),
      ];
    },
  }),
  once(fetchTvAddOns, "add_on_product_code"),
  of(fetchTvAddOns, {
    name: "message",
    sentence: "Its `message` names the requested product code.",
    check: async (session) => {
      const { message } = await session.answerOf(fetchTvAddOns);
      return unless(
        typeof message !== "string" || message.includes(session.value("productCode")),
        "The message does not name the product code.",
      );
    },
  }),
  of(fetchTvAddOns, {
    name: "unknown-type",
    sentence: "A cable provider that does not exist is refused, with `success` false.",
    check: async (session) => refusalProblems(await session.call(fetchTvAddOns, { members: { type: noCode } })),
  }),
];

async function bundleProblems(session: CheckSession, provider: string): Promise<string[]> {
  const members = { provider };
  const response = await session.call(lookupDataBundles, { members });
  const problems = successProblems(response);
  if (problems.length > 0) return problems;
  const bundles = await itemsOf(session, lookupDataBundles, { members });
  const shape = shapeErrors(lookupDataBundles.answer, response.json);
  return [
    ...shape.filter(({ kind }) => kind === "member" || kind === "form").map(({ sentence }) => sentence),
    ...unless(
      bundles.every(({ type }) => type === provider),
      "A bundle has another `type`.",
    ),
    ...repeatedProblems(bundles, "code"),
  ];
}

/** Clients buy by this code, and two entries with one code could have two prices. */
function once(operation: Operation, code: string): Point {
  return of(operation, {
    name: "once",
    sentence: `No two entries have the same \`${code}\`.`,
    check: async (session) => repeatedProblems(await itemsOf(session, operation), code),
  });
}

function repeatedProblems(items: readonly Record<string, unknown>[], code: string): string[] {
  return unless(
    new Set(items.map((item) => item[code])).size === items.length,
    `Two entries have the same \`${code}\`.`,
  );
}

interface OfOperation extends Pick<Point, "sentence" | "check"> {
  name: string;
}

function of({ id, needsKey }: Operation, { name, ...point }: OfOperation): Point {
  return { id: `${id}.${name}`, part: "interface", needs: needsKey ? ["key"] : [], ...point };
}
