-- One row is one site that the answers of every industry may cite, the most cited first.
with final (site, prefix, source_type) as (
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
)

select * from final
