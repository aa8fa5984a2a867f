/** An account as commands of others see it. */
export interface FoundAccount {
  id: string;
  name: string;
  email: string;
  /** Lines with "; " between them. */
  address: string | null;
  tax_number: string | null;
  terms: { prepaid?: true };
}

/** What commands need from the accounts room. */
export interface WithAccounts {
  accounts: {
    /** The account with this id or e-mail. Throws if there is none. */
    find(idOrEmail: string): Promise<FoundAccount>;
    /** The ids of all accounts. */
    ids(): Promise<string[]>;
    /** Returns a function that gives the e-mail of one of these accounts, or the id itself if there is none. */
    emails(ids: readonly string[]): Promise<(id: string) => string>;
    /** The same for the names of their businesses. */
    names(ids: readonly string[]): Promise<(id: string) => string>;
  };
}
