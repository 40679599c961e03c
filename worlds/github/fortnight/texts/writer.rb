# frozen_string_literal: true

module Fortnight
  # Writes lengths of time as people read them.
  module Writer
    # All parts: "2 hours 15 minutes".
    def self.write(span)
      parts(span).map { |unit, count| words(unit, count) }.join(" ")
    end

    # The largest part alone: "2 hours".
    def self.brief(span)
      unit, count = parts(span).first
      words(unit || :second, count || 0)
    end

    # The parts with a sign between them: "2 hours, 15 minutes".
    def self.plain(span)
      parts(span).map { |unit, count| words(unit, count) }.join(", ")
    end

    def self.parts(span)
      rest = span.seconds
      Units::SECONDS.to_a.reverse.filter_map do |unit, size|
        count, rest = rest.divmod(size)
        [unit, count] unless count.zero?
      end
    end

    def self.words(unit, count)
      count == 1 ? "1 #{unit}" : "#{count} #{unit}s"
    end
  end
end
