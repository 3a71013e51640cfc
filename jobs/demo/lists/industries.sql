-- One row is one industry: what its companies sell, who asks about it, and what they ask for.
with final (industry, slug, category, suffix, buyers, needs) as (
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
)

select * from final
