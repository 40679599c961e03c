# frozen_string_literal: true

Gem::Specification.new do |spec|
  spec.name = "fortnight"
  spec.version = File.read(File.expand_path("VERSION", __dir__)).strip
  spec.summary = "Reads and writes lengths of time as people say them"
  spec.authors = ["Martha Oakes", "Piet de Vries"]
  spec.license = "MIT"
  spec.files = Dir["lib/**/*.rb", "VERSION", "CHANGELOG.md", "README.md"]
  spec.required_ruby_version = ">= 3.0"
end
