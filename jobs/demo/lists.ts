/** A table in a text, a row a line, its cells between bars. */
function rowsOf(table: string): string[][] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split(' | '));
}

/** What the companies of an industry sell, who asks about it, and what they ask for. */
export interface Industry {
  slug: string;
  category: string;
  suffix: string;
  buyers: string[];
  needs: string[];
}

export const industries: Industry[] = rowsOf(`
crm | CRM tools | CRM | a small sales team, a startup, a nonprofit, real estate agents, a B2B agency | email sync, a simple pipeline view, call logging, good reporting
projectmanagement | project management tools | Projects | a remote team, a marketing agency, a construction firm, freelancers, a 50-person company | Gantt charts, time tracking, guest access for clients, workload planning
payroll | payroll services | Payroll | a restaurant, a company with contractors abroad, a small business, a family office, a school | same-day pay, tax filing in every state, benefits administration, an accountant login
running | running shoes | Running | beginners, flat feet, a first marathon, heavy runners, trail runs in winter | a wide toe box, a carbon plate, good grip on wet rock, recycled materials
mealkits | meal kits | Kitchen | a family of four, one person, vegetarians, a low-carb diet, busy parents | little packaging, gluten-free recipes, a plan I can pause, dinners under 20 minutes
passwordmanagers | password managers | Vault | a family, a small company, journalists, older parents, an IT department | passkeys, emergency access, single sign-on, an offline copy
emailmarketing | email marketing platforms | Mail | an online shop, a newsletter writer, a nonprofit, a software company, a local gym | automations, good deliverability, a free plan, A/B tests
ebikes | electric bikes | Bikes | commuters, tall riders, hilly cities, carrying two children, people over 60 | a removable battery, a belt drive, more than 100 km of range, low weight
travelinsurance | travel insurance plans | Insurance | a family trip to Japan, digital nomads, seniors, ski holidays, a student year abroad | cover for existing conditions, cancellation for any reason, no excess, fast claims
skincare | skin care brands | Skin | sensitive skin, teenagers, rosacea, dry winters, men over 40 | no fragrance, a mineral sunscreen, refill packs, retinol for beginners
accounting | accounting software | Books | a sole trader, an online shop, a law firm, a charity, a company with two currencies | bank feeds, VAT returns, inventory, receipts by photo
espresso | espresso machines | Coffee | a small kitchen, beginners, an office of 20, people who like milk drinks, a tight budget | a quiet grinder, fast heat-up, easy cleaning, spare parts for ten years
`).map(([slug, category, suffix, buyers, needs]) => ({
  slug: slug!,
  category: category!,
  suffix: suffix!,
  buyers: buyers!.split(', '),
  needs: needs!.split(', '),
}));

/** What buyers ask an answer engine. */
export const questions = `
What are the best {category} for {buyer}?
Which {category} would you recommend for {buyer}?
What are good alternatives to {rival}?
Best {category} with {need}
How do I choose between {category}?
Is {rival} worth the money, or is there something better?
Most trusted {category} in {year}
Compare the top {category} for {buyer}
Which {category} offer {need}?
Cheapest {category} that are still good for {buyer}
Top 10 {category} right now
{rival} or something else for {buyer}?
Which {category} do experts recommend?
What do people dislike about {rival}?
I need {category} with {need}. What should I look at?
What are the most popular {category} in Europe?
Which {category} have the best customer support?
Are there {category} without a long contract or hidden costs?
What should {buyer} look for in {category}?
Best new {category} of {year}
Who are the main competitors of {rival}?
Which {category} are easiest to get started with?
Best value {category} for {buyer} with {need}
Which {category} are overrated?
What has replaced {rival} for most people?
Which {category} have the best reviews?
List {category} that offer {need}
Premium {category} worth paying more for
Which {category} would you avoid, and why?
A short buying guide to {category} for {buyer}
`
  .trim()
  .split('\n');

/** Sites that the answers of every industry may cite, the most cited first. */
export const sites = rowsOf(`
https://www.reddit.com/r/{slug}/comments/ | forum
https://www.youtube.com/watch?v={slug} | ugc
https://en.wikipedia.org/wiki/{slug}_ | docs
https://www.g2.com/categories/{slug}?page= | review
https://www.trustpilot.com/categories/{slug}?page= | review
https://www.forbes.com/advisor/best-{slug}- | listicle
https://www.quora.com/topic/{slug}/ | forum
https://www.techradar.com/best/{slug}- | listicle
https://www.nytimes.com/wirecutter/{slug}/ | review
https://medium.com/tag/{slug}/ | ugc
https://www.capterra.com/{slug}/ | review
https://www.theguardian.com/{slug}/ | news
https://www.linkedin.com/pulse/{slug}- | ugc
https://www.pcmag.com/picks/{slug}- | listicle
https://www.consumerreports.org/{slug}/ | review
https://news.ycombinator.com/item?id= | forum
https://www.bbc.co.uk/news/{slug}- | news
https://www.which.co.uk/reviews/{slug}/ | review
https://{slug}-guide.example/ | listicle
https://docs.{slug}-handbook.example/ | docs
https://www.{slug}weekly.example/archive/ | news
https://best{slug}.example/top- | listicle
https://forum.{slug}.example/t/ | forum
https://www.{slug}-association.example/members/ | other
`).map(([prefix, sourceType]) => ({ prefix: prefix!, sourceType: sourceType! }));
