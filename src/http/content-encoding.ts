import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";
import type { Coding } from "../operation/ready-answer.ts";

const offered: Coding[] = ["br", "gzip", "identity"];
const known = new LRUCache<string, Coding>({ max: 500 });

/** The coding that an `Accept-Encoding` header asks for. Headers repeat, so the answer is remembered. */
export function codingOf(header: string | string[] | undefined): Coding {
  if (typeof header !== "string" || header === "") return "identity";
  let coding = known.get(header);
  if (coding === undefined) {
    const negotiator = new Negotiator({ headers: { "accept-encoding": header } });
    coding = (negotiator.encodings(offered)[0] as Coding | undefined) ?? "identity";
    if (header.length <= 200) known.set(header, coding);
  }
  return coding;
}
