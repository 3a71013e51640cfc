-- One row is one pattern of a question, as buyers put it to an answer engine.
with final (question, pattern) as (
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
)

select * from final
