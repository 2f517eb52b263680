/** A response that continues in further pages. `await` returns the first page. */
export interface PagedCall<Page> extends Promise<Page> {
  /** Iterates over the pages; requests each when it is consumed. */
  pages(): AsyncGenerator<Page, void, undefined>;
}

/** A list: `await` returns its first page, `for await` iterates over the items of all pages. */
export interface ListCall<Page, Item> extends PagedCall<Page>, AsyncIterable<Item> {}

/** How the pages of a list are chained, and where their items are. */
export interface ListForm {
  /** The member of the request that takes the token of the next page. */
  readonly token: string;
  /** Other names of that member. A request has one of them at most. */
  readonly aliases?: readonly string[];
  readonly next: (page: Page) => string | null | undefined;
  readonly items: (page: Page) => readonly unknown[];
}

/** The members that the pages of any list may have. */
interface Page {
  readonly data?: object & { readonly iterator?: string | null };
  readonly items?: readonly unknown[];
  readonly nextPageToken?: string;
  readonly nextCursor?: string;
}

/** `data` is an array, or arrays by key. */
export const byPageToken: ListForm = {
  token: 'pageToken',
  next: ({ nextPageToken }) => nextPageToken,
  items: ({ data = [] }) => Object.values(data).flat(),
};

export const byCursor: ListForm = {
  token: 'cursor',
  aliases: ['pageToken'],
  // The last page has an empty cursor.
  next: ({ nextCursor }) => nextCursor || undefined,
  items: ({ items = [] }) => items,
};

/** `data` has an array, and tokens for both directions. */
export const byIterator: ListForm = {
  token: 'iterator',
  next: ({ data }) => data?.iterator,
  items: ({ data = {} }) => Object.values(data).find((member) => Array.isArray(member)) ?? [],
};

/** The data of a list's requests. */
interface ListData {
  readonly awaited: object;
  /** Of the pages of an iteration. */
  readonly iterated: object;
}

/** Sends nothing before it is awaited or iterated. Iterations begin with the first page that was awaited. */
export class LazyListCall implements ListCall<Page, unknown> {
  readonly [Symbol.toStringTag] = 'ListCall';
  readonly #form: ListForm;
  readonly #call: (data: object) => Promise<Page>;
  readonly #data: ListData;
  #first: Promise<Page> | undefined;

  constructor(form: ListForm, call: (data: object) => Promise<unknown>, data: ListData) {
    this.#form = form;
    this.#call = call as (data: object) => Promise<Page>;
    this.#data = data;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- A list is awaited for its first page.
  then<Fulfilled = Page, Rejected = never>(
    fulfilled?: ((page: Page) => Fulfilled | PromiseLike<Fulfilled>) | null,
    rejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#firstPage().then(fulfilled, rejected);
  }

  catch<Rejected = never>(
    rejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Page | Rejected> {
    return this.then(undefined, rejected);
  }

  finally(settled?: (() => void) | null): Promise<Page> {
    return this.#firstPage().finally(settled);
  }

  #firstPage(): Promise<Page> {
    this.#first ??= this.#call(this.#data.awaited);
    return this.#first;
  }

  /** The first page of an iteration is also awaited later, unless awaiting reads more than a page. */
  #firstOfIteration(): Promise<Page> {
    const { awaited, iterated } = this.#data;
    return this.#first === undefined && iterated !== awaited ? this.#call(iterated) : this.#firstPage();
  }

  async *pages(): AsyncGenerator<Page, void, undefined> {
    let page = await this.#firstOfIteration();
    for (;;) {
      yield page;
      const token = this.#form.next(page);
      if (token === undefined || token === null) return;
      page = await this.#call(following(this.#data.iterated, this.#form, token));
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void, undefined> {
    for await (const page of this.pages()) yield* this.#form.items(page);
  }
}

/** The data of the request for the page at a token, which replaces the token of the caller. */
const following = (data: object, { token, aliases = [] }: ListForm, value: string): object => ({
  ...Object.fromEntries(Object.entries(data).filter(([name]) => !aliases.includes(name))),
  [token]: value,
});
