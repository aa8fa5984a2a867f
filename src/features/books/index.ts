import { feature } from "../../commands/feature.ts";
import { businessSettings } from "./business-settings.ts";

export const books = feature({
  name: "books",
  about: "Statements of clients and their corrections, the margin, and the invoices of vendors.",
  settings: businessSettings,
  commands: [
    {
      name: "books",
      group: "Verifications and money",
      before: "upstreams",
      about: "Write statements, correct them, and check the invoices of vendors.",
      load: async () => [
        ...(await import("./commands/book-commands.ts")).bookCommands,
        (await import("./commands/trend-command.ts")).showTrend,
        (await import("./commands/use-command.ts")).showUse,
        ...(await import("./commands/vendor-book-commands.ts")).vendorBookCommands,
        (await import("./commands/settle-unknown-command.ts")).settleUnknown,
      ],
    },
  ],
  auditEvents: async () => Object.values((await import("./books-trail.ts")).booksTrail),
  pages: [
    {
      path: "/books",
      before: "/catalogue",
      title: "Books",
      group: "Money",
      icon: "books",
      families: ["books"],
      opens: "books.summary",
      primary: "books.reconcile",
      sinceMonth: true,
    },
    { path: "/vendors", primary: "books.reconcile", lately: ["books.priced"] },
  ],
  records: async () => ({
    verification: { primary: ["books.adjust"] },
    account: { below: "books.trend", beside: ["books.statement"] },
    vendor: { below: "books.trend", lately: ["books.priced"] },
  }),
});
