import type { Texts } from "../../declare/command/read-texts.ts";

/** A command of an operator: its id, with the texts that a person would type. */
export type Deed = readonly [command: string, texts: Texts];

/** A client of the invented reseller. */
export interface Client {
  name: string;
  email: string;
  /** The client's part of all traffic: its share divided by the sum of all shares. */
  share: number;
}

/** These businesses are invented. */
export const clients: readonly Client[] = [
  { name: "Kobo Pay", email: "ops@kobopay.example", share: 30 },
  {
    name: "Ajo Savings Cooperative of Greater Ibadan",
    email: "integrations@ajo-savings-cooperative.example",
    share: 18,
  },
  { name: "Zaria Lenders", email: "it@zaria-lenders.example", share: 14 },
  { name: "Lagos Till", email: "till@lagostill.example", share: 11 },
  { name: "Harmattan Wallet", email: "api@harmattan.example", share: 9 },
  { name: "Benue Grain Credit", email: "loans@benuegrain.example", share: 6 },
  { name: "Oke Bola Microfinance", email: "tech@okebola.example", share: 4 },
  { name: "Delta Rides", email: "onboarding@deltarides.example", share: 3 },
  { name: "Calabar Payroll", email: "payroll@calabar.example", share: 2 },
  { name: "Minna Market Loans", email: "hello@minnamarket.example", share: 1.5 },
  { name: "Jos Plateau Rentals", email: "rent@josplateau.example", share: 1 },
  { name: "Uyo Fresh", email: "hello@uyofresh.example", share: 0.5 },
];

const [kobo, ajo, , till] = clients.map(({ email }) => email) as [string, string, string, string];
/** The client that is suspended, so its calls are refused. */
export const suspended = clients.at(-1)!.email;

/**
 * The operators' commands after the invented month. They leave two things undone: a paused vendor, and a waiting price
 * change.
 */
export const deeds: readonly Deed[] = [
  ["accounts.change", { account: ajo, cap_naira: "750000" }],
  ["accounts.change", { account: till, prepaid: "on" }],
  ["accounts.top-up", { account: till, amount: "250000", reason: "Transfer 8841" }],
  ["accounts.suspend", { account: suspended }],
  ["catalogue.edit", { code: ["MTNDATA", "104"], price: "105", note: "New price list of MTN" }],
  ["catalogue.edit", { code: ["MTNDATA", "113"], price: "205", note: "Rounded" }],
  ["catalogue.edit", { code: ["MTNDATA", "104"], price: "1900", note: "From the letter of the 20th" }],
  ["prices.set", { account: ajo, codes: ["dstv"], margin: "2.5" }],
  ["prices.set", { account: kobo, codes: ["gotv"], margin: "1" }],
  ["routes.pause", { vendor: "youverify", why: "load" }],
];
