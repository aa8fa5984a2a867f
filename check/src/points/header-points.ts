import type { CheckedResponse } from "../ask-server.ts";
import {
  fetchDataProviders,
  fetchTvAddOns,
  listCorporateBundles,
  lookupDataBundles,
  type Operation,
} from "../document.ts";
import { unless } from "../judge-response.ts";
import type { Point } from "../point.ts";
import type { CheckSession, RequestChanges } from "../session.ts";
import { Blocked } from "../session.ts";

const lists: readonly Operation[] = [lookupDataBundles, listCorporateBundles, fetchTvAddOns, fetchDataProviders];

/** A GET without a body, whose response caches may keep. */
const plain: RequestChanges = { carriage: "query" };

/** One promise about the responses of all lists, with a sentence for each list that breaks the promise. */
function ofLists(
  name: string,
  sentence: string,
  problems: (response: CheckedResponse, session: CheckSession, operation: Operation) => Promise<string[]> | string[],
): Point {
  return {
    id: `headers.${name}`,
    part: "duba",
    sentence,
    needs: [],
    check: async (session) => {
      const found: string[] = [];
      for (const operation of lists) {
        if (operation.needsKey && session.key === "") continue;
        const response = await session.call(operation, plain);
        if (response.status !== 200) throw new Blocked(blockerOf(operation));
        found.push(...(await problems(response, session, operation)).map((problem) => `${operation.id}: ${problem}`));
      }
      return found;
    },
  };
}

const blockerOf = ({ id, carriage }: Operation) => `${id}.${carriage === "query" ? "answers" : "in-query"}`;

/** Whether a header with a comma-separated list names a word. */
const names = (header: string | undefined, word: string) =>
  (header ?? "").split(",").some((each) => each.trim().toLowerCase() === word);

export const headerPoints: readonly Point[] = [
  ofLists("request-id", "Every answer has an X-Request-Id.", ({ headers }) =>
    unless(/^[\w.:-]{1,64}$/.test(String(headers["x-request-id"] ?? "")), "X-Request-Id is missing."),
  ),
  ofLists("own-request-id", "A sane X-Request-Id of the request is kept.", async (_, session, operation) => {
    const id = "duba-check-1";
    const { headers } = await session.call(operation, { ...plain, headers: { "X-Request-Id": id } });
    return unless(headers["x-request-id"] === id, "X-Request-Id is another one.");
  }),
  ofLists("nosniff", "Every answer says X-Content-Type-Options: nosniff.", ({ headers }) =>
    unless(headers["x-content-type-options"] === "nosniff", "the header is missing."),
  ),
  ofLists("no-rehearsal", "The service does not rehearse with a stand-in of an identity vendor.", ({ headers }) =>
    unless(headers["duba-mode"] !== "stand-in", "Duba-Mode is stand-in: live verifications are of invented people."),
  ),
  ofLists(
    "etag",
    "A list has a weak ETag, which does not change with its `date`.",
    async ({ headers }, session, operation) => {
      const again = await session.call(operation, { ...plain, headers: { "X-Request-Id": "duba-check-2" } });
      return [
        ...unless(/^W\/"[^"]+"$/.test(headers.etag ?? ""), "ETag is missing or strong."),
        ...unless(headers.etag === again.headers.etag, "the ETag of the second answer is another."),
      ];
    },
  ),
  ofLists(
    "not-modified",
    "If-None-Match with that ETag is answered with 304 and no body.",
    async ({ headers }, session, operation) => {
      if (!headers.etag) throw new Blocked("headers.etag");
      const again = await session.call(operation, { ...plain, headers: { "If-None-Match": headers.etag } });
      return unless(again.status === 304 && again.text === "", `the status is ${again.status}.`);
    },
  ),
  ofLists("last-modified", "A list has a Last-Modified in the past.", ({ headers }) =>
    unless(
      Date.parse(headers["last-modified"] ?? "") <= Date.now() + 60_000,
      "Last-Modified is missing or in the future.",
    ),
  ),
  ofLists(
    "not-modified-since",
    "If-Modified-Since with its Last-Modified is answered with 304 and no body.",
    async ({ headers }, session, operation) => {
      const since = headers["last-modified"];
      if (!since) throw new Blocked("headers.last-modified");
      const again = await session.call(operation, { ...plain, headers: { "If-Modified-Since": since } });
      return unless(again.status === 304 && again.text === "", `the status is ${again.status}.`);
    },
  ),
  ofLists("cache-control", "A list may be kept for some time: Cache-Control has a max-age.", ({ headers }) =>
    unless(/\bmax-age=\d+/.test(headers["cache-control"] ?? ""), "Cache-Control has no max-age."),
  ),
  ofLists(
    "vary",
    "Where a key changes the answer, Vary names Authorization, and everywhere Accept-Encoding.",
    ({ headers }, _, { needsKey }) => [
      ...unless(names(headers.vary, "accept-encoding"), "Vary does not name Accept-Encoding."),
      ...unless(needsKey || names(headers.vary, "authorization"), "Vary does not name Authorization."),
    ],
  ),
  ofLists("revision", "Duba-Catalogue-Revision is the number of a revision.", ({ headers }) =>
    unless(/^[1-9]\d*$/.test(String(headers["duba-catalogue-revision"] ?? "")), "the header is missing."),
  ),
  ofLists(
    "head",
    "HEAD has the status and the length of GET, and no body.",
    async ({ headers }, session, operation) => {
      const head = await session.call(operation, { ...plain, method: "HEAD" });
      return unless(
        head.status === 200 && head.text === "" && head.headers["content-type"] === headers["content-type"],
        `the status is ${head.status}, or its headers are others.`,
      );
    },
  ),
  ofLists(
    "gzip",
    "Accept-Encoding: gzip gives a gzip body, where that is shorter.",
    async ({ text }, session, operation) => {
      if (text.length < 2048) return [];
      const { headers } = await session.call(operation, { ...plain, headers: { "Accept-Encoding": "gzip" } });
      return unless(headers["content-encoding"] === "gzip", "Content-Encoding is not gzip.");
    },
  ),
  {
    id: "headers.body-not-stored",
    part: "duba",
    needs: [],
    sentence: "No cache may store the answer to a GET with a body, and Content-Location names its URL.",
    check: async (session) => {
      await session.answerOf(fetchTvAddOns);
      const { headers } = await session.call(fetchTvAddOns);
      return [
        ...unless(headers["cache-control"] === "no-store", "Cache-Control is not no-store."),
        ...unless(/\?.*productCode=/.test(headers["content-location"] ?? ""), "Content-Location is missing."),
      ];
    },
  },
];
