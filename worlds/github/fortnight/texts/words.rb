# frozen_string_literal: true

module Fortnight
  # The words of each language.
  module Words
    CACHE = 128

    # The table of a language: what people write, and the unit that they mean.
    def self.of(language)
      require_relative "words/#{language}"
      const_get(language.upcase)
    end

    def self.table(language)
      of(language).dup
    end
  end
end
