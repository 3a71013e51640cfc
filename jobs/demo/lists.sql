-- One row is one industry: what its companies sell, who asks about it, and what they ask for.
-- Makes demo_industry, demo_question, demo_site.
create table demo_industry as from (
  values
    (0, 'crm', 'CRM tools', 'CRM', ['a small sales team', 'a startup', 'a nonprofit', 'real estate agents', 'a B2B agency'], ['email sync', 'a simple pipeline view', 'call logging', 'good reporting']),
    (1, 'projectmanagement', 'project management tools', 'Projects', ['a remote team', 'a marketing agency', 'a construction firm', 'freelancers', 'a 50-person company'], ['Gantt charts', 'time tracking', 'guest access for clients', 'workload planning']),
    (2, 'payroll', 'payroll services', 'Payroll', ['a restaurant', 'a company with contractors abroad', 'a small business', 'a family office', 'a school'], ['same-day pay', 'tax filing in every state', 'benefits administration', 'an accountant login']),
    (3, 'running', 'running shoes', 'Running', ['beginners', 'flat feet', 'a first marathon', 'heavy runners', 'trail runs in winter'], ['a wide toe box', 'a carbon plate', 'good grip on wet rock', 'recycled materials']),
    (4, 'mealkits', 'meal kits', 'Kitchen', ['a family of four', 'one person', 'vegetarians', 'a low-carb diet', 'busy parents'], ['little packaging', 'gluten-free recipes', 'a plan I can pause', 'dinners under 20 minutes']),
    (5, 'passwordmanagers', 'password managers', 'Vault', ['a family', 'a small company', 'journalists', 'older parents', 'an IT department'], ['passkeys', 'emergency access', 'single sign-on', 'an offline copy']),
    (6, 'emailmarketing', 'email marketing platforms', 'Mail', ['an online shop', 'a newsletter writer', 'a nonprofit', 'a software company', 'a local gym'], ['automations', 'good deliverability', 'a free plan', 'A/B tests']),
    (7, 'ebikes', 'electric bikes', 'Bikes', ['commuters', 'tall riders', 'hilly cities', 'carrying two children', 'people over 60'], ['a removable battery', 'a belt drive', 'more than 100 km of range', 'low weight']),
    (8, 'travelinsurance', 'travel insurance plans', 'Insurance', ['a family trip to Japan', 'digital nomads', 'seniors', 'ski holidays', 'a student year abroad'], ['cover for existing conditions', 'cancellation for any reason', 'no excess', 'fast claims']),
    (9, 'skincare', 'skin care brands', 'Skin', ['sensitive skin', 'teenagers', 'rosacea', 'dry winters', 'men over 40'], ['no fragrance', 'a mineral sunscreen', 'refill packs', 'retinol for beginners']),
    (10, 'accounting', 'accounting software', 'Books', ['a sole trader', 'an online shop', 'a law firm', 'a charity', 'a company with two currencies'], ['bank feeds', 'VAT returns', 'inventory', 'receipts by photo']),
    (11, 'espresso', 'espresso machines', 'Coffee', ['a small kitchen', 'beginners', 'an office of 20', 'people who like milk drinks', 'a tight budget'], ['a quiet grinder', 'fast heat-up', 'easy cleaning', 'spare parts for ten years'])
) as listed (industry, slug, category, suffix, buyers, needs);

-- One row is one pattern of a question, as buyers put it to an answer engine.
create table demo_question as from (
  values
    (0, 'What are the best {category} for {buyer}?'),
    (1, 'Which {category} would you recommend for {buyer}?'),
    (2, 'What are good alternatives to {rival}?'),
    (3, 'Best {category} with {need}'),
    (4, 'How do I choose between {category}?'),
    (5, 'Is {rival} worth the money, or is there something better?'),
    (6, 'Most trusted {category} in {year}'),
    (7, 'Compare the top {category} for {buyer}'),
    (8, 'Which {category} offer {need}?'),
    (9, 'Cheapest {category} that are still good for {buyer}'),
    (10, 'Top 10 {category} right now'),
    (11, '{rival} or something else for {buyer}?'),
    (12, 'Which {category} do experts recommend?'),
    (13, 'What do people dislike about {rival}?'),
    (14, 'I need {category} with {need}. What should I look at?'),
    (15, 'What are the most popular {category} in Europe?'),
    (16, 'Which {category} have the best customer support?'),
    (17, 'Are there {category} without a long contract or hidden costs?'),
    (18, 'What should {buyer} look for in {category}?'),
    (19, 'Best new {category} of {year}'),
    (20, 'Who are the main competitors of {rival}?'),
    (21, 'Which {category} are easiest to get started with?'),
    (22, 'Best value {category} for {buyer} with {need}'),
    (23, 'Which {category} are overrated?'),
    (24, 'What has replaced {rival} for most people?'),
    (25, 'Which {category} have the best reviews?'),
    (26, 'List {category} that offer {need}'),
    (27, 'Premium {category} worth paying more for'),
    (28, 'Which {category} would you avoid, and why?'),
    (29, 'A short buying guide to {category} for {buyer}')
) as listed (question, pattern);

-- One row is one site that the answers of every industry may cite, the most cited first.
create table demo_site as from (
  values
    (0, 'https://www.reddit.com/r/{slug}/comments/', 'forum'),
    (1, 'https://www.youtube.com/watch?v={slug}', 'ugc'),
    (2, 'https://en.wikipedia.org/wiki/{slug}_', 'docs'),
    (3, 'https://www.g2.com/categories/{slug}?page=', 'review'),
    (4, 'https://www.trustpilot.com/categories/{slug}?page=', 'review'),
    (5, 'https://www.forbes.com/advisor/best-{slug}-', 'listicle'),
    (6, 'https://www.quora.com/topic/{slug}/', 'forum'),
    (7, 'https://www.techradar.com/best/{slug}-', 'listicle'),
    (8, 'https://www.nytimes.com/wirecutter/{slug}/', 'review'),
    (9, 'https://medium.com/tag/{slug}/', 'ugc'),
    (10, 'https://www.capterra.com/{slug}/', 'review'),
    (11, 'https://www.theguardian.com/{slug}/', 'news'),
    (12, 'https://www.linkedin.com/pulse/{slug}-', 'ugc'),
    (13, 'https://www.pcmag.com/picks/{slug}-', 'listicle'),
    (14, 'https://www.consumerreports.org/{slug}/', 'review'),
    (15, 'https://news.ycombinator.com/item?id=', 'forum'),
    (16, 'https://www.bbc.co.uk/news/{slug}-', 'news'),
    (17, 'https://www.which.co.uk/reviews/{slug}/', 'review'),
    (18, 'https://{slug}-guide.example/', 'listicle'),
    (19, 'https://docs.{slug}-handbook.example/', 'docs'),
    (20, 'https://www.{slug}weekly.example/archive/', 'news'),
    (21, 'https://best{slug}.example/top-', 'listicle'),
    (22, 'https://forum.{slug}.example/t/', 'forum'),
    (23, 'https://www.{slug}-association.example/members/', 'other')
) as listed (site, prefix, source_type);
